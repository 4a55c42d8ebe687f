// The trials of a study: which have a loss, which is the best, and where a value stands among the others.

import { fieldName, figure, valueText } from "./sweep-names.js";
import { knows, number, say } from "./words.js";

export const known = (trial) => Number.isFinite(trial.value);

// Those that ended without a loss, and in a word why.
export const lost = (state) => state.trials.filter((trial) => !known(trial) && ["failed", "pruned"].includes(trial.state));

export function ending(trial) {
  const own = `sweep.ended.${trial.code}`;
  return say(knows(own) ? own : `sweep.table.trial.${trial.state}`);
}

// The best first; a trial that was ended early comes after all that went to their end.
export const ranked = (state) =>
  state.trials.filter(known).sort((one, other) => (one.state === "pruned") - (other.state === "pruned") || one.value - other.value || one.trial - other.trial);

export const metricName = (state) => say(`sweep.metric.${state.metric}`);

// One meaning has one colour: the loss of evaluation, or that of training.
export const metricColour = (state) => (state.metric === "eval_loss" ? "evaluation" : "training");

export const lossText = (value) => number(value);

// “learning rate 1e-4, micro-batch 4”
export const valuesText = (values, fields) => fields.map((key) => say("sweep.before.pair", { field: fieldName(key), value: valueText(key, values[key]) })).join(", ");

const FAR = 20; // of two values, from which on an axis is logarithmic

export function logarithmic(values, far = FAR) {
  const least = Math.min(...values);
  return values.length > 1 && least > 0 && Math.max(...values) / least >= far;
}

// Where the values of a field stand on an axis from 0 to 1, and the labels there.
export function scaleOf(key, space) {
  if (space.values) {
    const values = [...space.values].sort(byValue);
    const at = (value) => (values.length > 1 ? values.findIndex((each) => each === value) / (values.length - 1) : 0.5);
    return { at, ticks: values.map((value) => [at(value), valueText(key, value)]) };
  }
  const { low, high, log } = space;
  const along = (value) => (high === low ? 0.5 : log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const back = (share) => (log ? low * (high / low) ** share : low + (high - low) * share);
  return { at: along, ticks: [0, 0.5, 1].map((share) => [share, figure(rounded(back(share), space.integer))]) };
}

const byValue = (one, other) => (typeof one === "number" && typeof other === "number" ? one - other : 0);

const rounded = (value, whole) => (whole ? Math.round(value) : Number(value.toPrecision(2)));

// The places of a field along a table: its values, or parts of its range; `of(value)` is the place of a value.
const PARTS = 5;

export function placesOf(key, space) {
  if (space.values) {
    const values = [...space.values].sort(byValue);
    return { names: values.map((value) => valueText(key, value)), of: (value) => values.indexOf(value) };
  }
  const { low, high, log, integer } = space;
  if (integer && high - low < PARTS) {
    const values = Array.from({ length: high - low + 1 }, (_, place) => low + place);
    return { names: values.map((value) => valueText(key, value)), of: (value) => value - low };
  }
  const edge = (place) => (log ? low * (high / low) ** (place / PARTS) : low + ((high - low) * place) / PARTS);
  const { at } = scaleOf(key, space);
  const names = Array.from({ length: PARTS }, (_, place) => say("sweep.map.between", { low: figure(rounded(edge(place), integer)), high: figure(rounded(edge(place + 1), integer)) }));
  return { names, of: (value) => Math.min(PARTS - 1, Math.max(0, Math.floor(at(value) * PARTS))) };
}
