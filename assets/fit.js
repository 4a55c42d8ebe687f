// Keeps model, data and task fitting each other: what one choice rules out moves, and is said. What was chosen stays.

import { fits } from "./words.js";

const serves = (kind, name, task) => !(name in fits[kind]) || fits[kind][name].includes(task);

const first = (kind, task) => Object.keys(fits[kind]).find((name) => serves(kind, name, task));

// Model, data and task after `mover` was chosen, and the value of `#fit` that says what else has moved.
export function fitting(mover, model, data, task) {
  const said = [];
  const moved = (kind, after, values) => {
    said.push([{ name: `fit.${kind}`, values: { [kind]: after, ...values } }]);
    return after;
  };
  const chosen = mover === "model" ? model : data;
  if (mover !== "task" && !serves(mover, chosen, task)) task = moved("task", fits[mover][chosen][0], { before: task, chosen });
  if (mover !== "data" && !serves("data", data, task)) data = moved("data", first("data", task), { before: data, task });
  if (mover !== "model" && !serves("model", model, task)) model = moved("model", first("model", task), { before: model, task });
  return [model, data, task, { phrases: said }];
}

// Columns are named for data of one's own; those that are built in know theirs.
export function showColumns(data) {
  document.getElementById("form").dataset.own = String(!(data in fits.data));
  return [];
}
