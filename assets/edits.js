// What has been written in the form and not been started: kept in this tab, so that a reload loses nothing.

import { inTab } from "./in-tab.js";
import { leaveLink } from "./link.js";

const tab = inTab("birikim.edits");

let unsent = tab.kept() !== null;

// Each writing has its number: an answer about an earlier one comes too late to be shown.
export function written() {
  const { dataset } = document.documentElement;
  unsent = true;
  dataset.writes = Number(dataset.writes ?? 0) + 1;
}

// What another place has found is put into the form, by the program; nothing of a link is left then.
export function takeOver(found, props, trigger) {
  document.documentElement.dataset.wrote = "form";
  written();
  leaveLink();
  props.value = found;
  trigger("input");
}

// Keeps the fields' `values`, by `names`, and the YAML; returns what a handler of the program is called with.
export function keep(names, pane, values) {
  const { wrote = "form", writes = 0 } = document.documentElement.dataset;
  if (unsent) store(wrote, names, pane, values); // a call that had to wait may come after Start
  return [`${wrote} ${writes}`, pane, ...values];
}

function store(wrote, names, pane, values) {
  const edits = { wrote, text: pane?.text ?? "", values: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
  tab.keep(edits);
}

export const kept = () => tab.kept();

export function forget() {
  unsent = false;
  tab.forget();
}

// The page anew, with what the form holds.
export function reload(names, pane, values) {
  keep(names, pane, values);
  location.reload();
}
