// The settings that a sweep varies, and their values, in words.

import { integer, knows, language, say, separators } from "./words.js";

// Those that most people vary, in the order in which they are offered; any other goes by its key.
export const USUAL = [
  "training.learning_rate",
  "training.per_device_train_batch_size",
  "training.gradient_accumulation_steps",
  "effective_batch",
  "training.bf16",
  "loss_normalization",
  "window_order",
  "training.max_steps",
  "training.weight_decay",
  "training.warmup_steps",
  "training.max_grad_norm",
  "training.lr_scheduler_type",
  "training.optim",
  "training.seed",
  "data.max_length",
  "lora.r",
];

// Those that have few values, each with a word of its own.
export const CHOICES = {
  "training.bf16": [false, true],
  loss_normalization: ["exact", "mean-of-means", "trainer"],
  window_order: ["sorted", "random"],
};

export const MICRO_BATCH = "training.per_device_train_batch_size";
export const EFFECTIVE = "effective_batch";

export const fieldName = (key) => (knows(`sweep.field.${key}`) ? say(`sweep.field.${key}`) : key);

export function valueText(key, value) {
  if (value === null || value === undefined) return say("amount.none");
  const own = `sweep.value.${key}.${value}`;
  if (knows(own)) return say(own);
  if (typeof value === "boolean") return say(value ? "sweep.value.true" : "sweep.value.false");
  return typeof value === "number" ? figure(value) : String(value);
}

const figures = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });

// A number that someone chose: no more figures than it has.
export function figure(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return integer(value);
  const size = Math.abs(value);
  if (size < 1e-2 || size >= 1e6) return Number(value.toPrecision(3)).toExponential().replace(".", separators[0]);
  return figures.format(value);
}

// What is written in a field of values: numbers, yes and no, else words, with commas between them.
export const valuesIn = (text) =>
  text
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map(read);

const WORDS = { true: true, false: false, null: null };

function read(part) {
  if (part in WORDS) return WORDS[part];
  const value = Number(part);
  return Number.isFinite(value) ? value : part;
}

export const written = (values) => values.map((value) => (typeof value === "number" ? plainFigure(value) : String(value))).join(", ");

// As YAML reads it, whatever the language.
export function plainFigure(value) {
  const size = Math.abs(value);
  return value !== 0 && !Number.isInteger(value) && size < 1e-2 ? value.toExponential() : String(value);
}
