// Where the bytes are: five categories with one colour each, and what an account of them says.

import { h } from "./dom.js";
import { planText } from "./plans.js";
import { mixed } from "./plot.js";
import { bytes, inPercent, number, say, told } from "./words.js";

// In the order in which they are stacked, and by the names of their colours.
export const CATEGORIES = ["weights", "gradients", "optimizer", "activations", "other"];

export const swatch = (category, ...words) => h("span", { class: "swatch", style: `--key: var(--${category})` }, ...words);

export const areaKey = (colour, words, outlined = false) => h("span", { class: outlined ? "key area outlined" : "key area", style: `--key: var(--${colour})` }, words);

// What is only predicted is paler than what was measured.
export const pale = (category) => mixed(category, "paper", 0.5);

export const shareText = (part, whole) => inPercent(number((100 * part) / whole, 2));

export function phaseText({ phase, micro_batch }) {
  return say(`memory.in.${phase}`, { micro_batch });
}

// “The peak comes in the backward pass of micro-batch 1, at lm_head; 61 % of it is activations.”
export function momentText({ moment, parts, peak_bytes: peak }) {
  const most = CATEGORIES.reduce((one, other) => (parts[other] > parts[one] ? other : one));
  const values = { phase: phaseText(moment), module: moment.module, category: say(`memory.category.${most}`), share: shareText(parts[most], peak) };
  return say(moment.module ? "memory.moment.at" : "memory.moment", values);
}

// How far two amounts are from each other, in per cent of the first.
function apartText(measured, predicted) {
  const percent = (100 * Math.abs(measured - predicted)) / measured;
  return percent > 0 && percent < 0.1 ? `< ${inPercent(number(0.1, 1))}` : inPercent(number(percent, 2));
}

// The unit in which amounts up to `most` are drawn.
export const scaleFor = (most) => (most >= 2 ** 30 ? { unit: "GiB", size: 2 ** 30 } : { unit: "MiB", size: 2 ** 20 });

export const compareText = (plan, measured, predicted) =>
  Number.isFinite(predicted)
    ? say("memory.compare", { plan, measured: bytes(measured), predicted: bytes(predicted), apart: apartText(measured, predicted) })
    : say("memory.compare.measured", { plan, measured: bytes(measured) });

// Why a plan could not be measured.
export function errorText(error) {
  const { message, remedy } = told(error);
  return [`${planText(error.plan)}: ${message}`, remedy].filter(Boolean).join(" ");
}

// `config` with another plan, and nothing else changed.
export const withPlan = (config, [rows, steps]) => ({
  ...config,
  training: { ...config.training, per_device_train_batch_size: rows, gradient_accumulation_steps: steps },
});
