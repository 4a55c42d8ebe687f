// The figures of a proof as they are meant: `3e-7` for what is small, `12.7 %` for what one can see.

import { samePlan } from "./plans.js";
import { inPercent, integer, number, say } from "./words.js";

// The ways to a gradient that are compared, by the name of their colour and of their words.
export const WAYS = [
  { name: "accumulated", colour: "way-ours", symbol: "circle" },
  { name: "mean-of-means", colour: "way-means", symbol: "diamond" },
  { name: "trainer", colour: "way-stock", symbol: "square" },
];

export function errorText(error) {
  if (error === null || error === undefined) return say("amount.none");
  if (error === 0) return "0";
  if (error < 5e-4) return shortest(error);
  const percent = 100 * error;
  return inPercent(percent >= 1000 ? integer(percent) : trimmed(percent));
}

export const ratioText = (ratio) => (Number.isFinite(ratio) ? `${number(ratio, 3)} ×` : say("amount.none"));

// Exact, wrong, or `close`: in fp32 a difference between the two may still be rounding.
export function stateOf(error, { tolerance, precision }) {
  if (error === null || error === undefined) return "unbounded";
  if (error <= tolerance) return "exact";
  return precision === "fp32" && error < 1e-3 ? "close" : "wrong";
}

export const SIGNS = { exact: "=", close: "≈", wrong: "≠", unbounded: "≠", good: "=", hold: "≈", bad: "≠" };

export const wayOf = (proof, name, plan) => proof?.ways.find((way) => way.name === name && samePlan(way.plan, plan));

function shortest(error) {
  const [mantissa, exponent] = error.toExponential(0).split("e");
  return `${mantissa}e${Number(exponent)}`;
}

// Three figures without zeros at the end.
const trimmed = (value) => number(Number(value.toPrecision(3)), 3).replace(/([.,]\d*?)0+$/, "$1").replace(/[.,]$/, "");
