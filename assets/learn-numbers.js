// Numbers as the lessons mean them: each has a unit (engine/lessons/lesson.py), and a sentence names it, `{peak:bytes}`.

import { errorText, ratioText } from "./prove-figures.js";
import { bytes, integer, number, percent, say, separators } from "./words.js";

const UNITS = {
  count: integer,
  number,
  bytes,
  error: errorText,
  ratio: ratioText,
  share: percent,
  seconds: (value) => say("time.seconds", { s: number(value, value < 1 ? 4 : 3) }), // three figures: number counts the 0
  rate: (value) => (value === 0 ? "0" : Number(value.toPrecision(3)).toExponential().replace(".", separators[0])),
};

export function inUnit(value, unit) {
  if (value === null || value === undefined) return say("amount.none");
  if (typeof value !== "number" || !(unit in UNITS)) return String(value);
  return UNITS[unit](value).replaceAll(" ", "\u00a0"); // a number and its unit stay on one line
}

// A name of the engine's words, or what stands for itself; a plan, “32 × 1”, stays on one line.
export const named = (name) => (name.startsWith("lesson.") ? say(name) : name.replaceAll(" × ", "\u00a0×\u00a0"));

// A sentence of a conclusion, with its numbers as the language writes them.
export function sentence({ name, values = {} }) {
  const words = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? named(value) : value]));
  return say(name, words).replace(/\{([\w-]+):([a-z]+)\}/g, (whole, key, unit) => (key in words ? inUnit(words[key], unit) : whole));
}
