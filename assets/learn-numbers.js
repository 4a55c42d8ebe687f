// Numbers as the lessons mean them: each has a unit (engine/lessons/lesson.py), and a sentence names it, `{peak:bytes}`.

import { errorText, ratioText } from "./prove-figures.js";
import { bytes, integer, number, percent, say } from "./words.js";

const UNITS = {
  count: integer,
  number,
  bytes,
  error: errorText,
  ratio: ratioText,
  share: percent,
  seconds: (value) => say("time.seconds", { s: number(value, 3) }),
  rate: (value) => number(value, 3),
};

export function inUnit(value, unit) {
  if (value === null || value === undefined) return say("amount.none");
  if (typeof value !== "number" || !(unit in UNITS)) return String(value);
  return UNITS[unit](value).replaceAll(" ", "\u00a0"); // a number and its unit stay on one line
}

// A sentence of a conclusion, with its numbers as the language writes them.
export const sentence = ({ name, values = {} }) =>
  say(name, values).replace(/\{([\w-]+):([a-z]+)\}/g, (whole, key, unit) => (key in values ? inUnit(values[key], unit) : whole));

// A name of the engine's words, or what stands for itself.
export const named = (name) => (name.startsWith("lesson.") ? say(name) : name);
