// Two settings against each other: a table whose cells are the darker, the lower the loss of that pair.

import { h, setText } from "./dom.js";
import { fieldName } from "./sweep-names.js";
import { ending, known, logarithmic, lossText, lost, metricName, placesOf } from "./sweep-trials.js";
import { say, sayCount } from "./words.js";

const LEVELS = 7; // of the ramp in the style sheet

export class SweepMap {
  constructor() {
    const pick = () => this.#show();
    this.rows = h("select", { id: "sweep-map-rows", onchange: pick });
    this.columns = h("select", { id: "sweep-map-columns", onchange: pick });
    this.choosers = h("div", { class: "map-choice", hidden: true }, h("label", {}, this.rows, say("sweep.map.rows")), h("label", {}, this.columns, say("sweep.map.columns")));
    this.caption = h("caption", { class: "aloud" });
    this.head = h("thead", {});
    this.body = h("tbody", {});
    this.table = h("table", { class: "sweep-heat" }, this.caption, this.head, this.body);
    this.scroll = h("div", { class: "map-scroll", tabindex: "0", role: "region", "aria-label": say("sweep.map.scroll"), hidden: true }, this.table);
    this.about = h("p", { class: "about" });
    this.empty = h("p", { class: "empty-list" }, say("sweep.map.empty"));
    const title = h("h3", { id: "sweep-map-title" }, say("sweep.map"));
    this.element = h("section", { id: "sweep-map", class: "part", "aria-labelledby": title.id }, title, this.choosers, this.about, this.empty, this.scroll);
  }

  render(state, varied) {
    const mark = JSON.stringify([state?.study, state?.trials, varied]);
    if (mark === this.shown) return;
    this.shown = mark;
    this.state = state;
    const laid = JSON.stringify(varied);
    if (laid !== this.laid) {
      this.laid = laid;
      const options = (chosen) => varied.map((key) => h("option", { value: key, selected: key === chosen }, fieldName(key)));
      this.rows.replaceChildren(...options(varied[1]));
      this.columns.replaceChildren(...options(varied[0]));
    }
    this.choosers.hidden = varied.length < 2;
    this.#show();
  }

  #show() {
    const { state } = this;
    const [rows, columns] = [this.rows.value, this.columns.value];
    const trials = state && rows && columns && rows !== columns ? [...state.trials.filter(known), ...lost(state)] : [];
    this.empty.hidden = trials.length > 0;
    this.scroll.hidden = !trials.length;
    setText(this.about, trials.length ? say("sweep.map.about") : "");
    if (!trials.length) return;
    const [down, across] = [placesOf(rows, state.fields[rows]), placesOf(columns, state.fields[columns])];
    const cells = cellsOf(trials, (trial) => `${down.of(trial.values[rows])} ${across.of(trial.values[columns])}`);
    const level = levels([...cells.values()].filter(known).map(({ value }) => value));
    setText(this.caption, say("sweep.map.caption", { metric: metricName(state), rows: fieldName(rows), columns: fieldName(columns) }));
    this.head.replaceChildren(
      h("tr", {}, h("th", { class: "corner", scope: "row" }, fieldName(rows)), h("th", { class: "across", scope: "colgroup", colspan: across.names.length }, fieldName(columns))),
      h("tr", {}, h("td", {}), ...across.names.map((name) => h("th", { scope: "col" }, name))),
    );
    this.body.replaceChildren(...down.names.map((name, row) => h("tr", {}, h("th", { scope: "row" }, name), ...across.names.map((other, column) => cell(cells.get(`${row} ${column}`), level, name, other)))));
  }
}

// Of each pair the lowest loss and how many trials it is of; where none has come to one, how the first ended.
function cellsOf(trials, pair) {
  const found = new Map();
  for (const trial of trials) {
    const { value = null, count = 0, ended = null } = found.get(pair(trial)) ?? {};
    const lower = known(trial) && (value === null || trial.value < value);
    found.set(pair(trial), { value: lower ? trial.value : value, count: count + 1, ended: ended ?? trial });
  }
  return found;
}

function levels(values) {
  const log = logarithmic(values);
  const on = (value) => (log ? Math.log(value) : value);
  const [least, most] = [Math.min(...values), Math.max(...values)].map(on);
  return (value) => (most === least ? LEVELS - 1 : Math.round(((most - on(value)) / (most - least)) * (LEVELS - 1)));
}

function cell(found, level, rows, columns) {
  if (!found) return h("td", { class: "none" }, say("amount.none"));
  if (!known(found)) return h("td", { class: "none" }, ending(found.ended));
  const title = say("sweep.map.title", { rows, columns, value: lossText(found.value), trials: sayCount("sweep.map.trials", found.count) });
  return h("td", { "data-level": level(found.value), title }, lossText(found.value));
}
