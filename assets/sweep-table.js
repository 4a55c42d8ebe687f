// The trials of a study: what each varied, its state, and what it came to. A click opens its run in the live view.

import { addressOf } from "./address.js";
import { h } from "./dom.js";
import { fieldName, valueText } from "./sweep-names.js";
import { ending, lossText } from "./sweep-trials.js";
import { bytes, duration, integer, say, toldInFull } from "./words.js";

const MOST = 100; // rows, until more are asked for
const COLOURS = { pruned: "stopped", waiting: "queued" };
// What a column holds, and how it is said; the fields' own columns come after the state.
const FIGURES = { value: ["value", lossText], updates: ["updates", integer], seconds: ["seconds", duration], peak: ["peak_bytes", bytes], throughput: ["targets_per_second", integer] };

export class TrialTable {
  constructor(open) {
    this.open = open;
    this.sort = { column: "trial", down: false };
    this.most = MOST;
    this.more = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#all() }, say("sweep.table.all"));
    this.head = h("tr", {});
    this.body = h("tbody", {});
    this.table = h("table", { class: "trials" }, h("thead", {}, this.head), this.body);
    this.empty = h("p", { class: "empty-list" }, say("sweep.table.empty"));
    this.scroll = h("div", { class: "trials-scroll", tabindex: "0", role: "region", "aria-label": say("sweep.table.scroll"), hidden: true }, this.table);
    this.note = h("p", { class: "about", hidden: true }, say("sweep.table.note"));
    const title = h("h3", { id: "sweep-table-title" }, say("sweep.table"));
    this.element = h("section", { id: "sweep-table", class: "part", "aria-labelledby": title.id }, title, this.empty, this.scroll, this.more, this.note);
  }

  // `varied` are the fields that have a column: the others are the same in all trials.
  render(state, varied) {
    const mark = JSON.stringify([state?.study, state?.trials, state?.best, varied, this.sort, String(this.most)]);
    if (mark === this.shown) return;
    this.shown = mark;
    Object.assign(this, { state, varied });
    const trials = state?.trials ?? [];
    this.empty.hidden = trials.length > 0;
    this.scroll.hidden = this.note.hidden = !trials.length;
    this.more.hidden = trials.length <= this.most;
    if (!trials.length) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.of : null;
    const fields = varied;
    const columns = ["trial", "state", ...fields, ...Object.keys(FIGURES)];
    this.head.replaceChildren(...columns.map((name) => this.#heading(name, fields)));
    const sorted = [...trials].sort((one, other) => this.#order(one, other, fields));
    this.body.replaceChildren(...sorted.slice(0, this.most).map((trial) => this.#row(trial, fields)));
    if (focused) this.element.querySelector(`[data-of="${CSS.escape(focused)}"]`)?.focus();
  }

  #all() {
    this.most = Infinity;
    this.render(this.state, this.varied);
  }

  #heading(name, fields) {
    const words = fields.includes(name) ? fieldName(name) : say(`sweep.table.${name}`);
    const { column, down } = this.sort;
    const press = () => {
      this.sort = { column: name, down: column === name && !down };
      this.render(this.state, this.varied);
    };
    const button = h("button", { type: "button", class: "link", "data-of": `sort ${name}`, title: say("sweep.table.sort", { column: words }), onclick: press }, words);
    const sorted = column === name ? (down ? "descending" : "ascending") : null;
    return h("th", { scope: "col", class: name in FIGURES ? "figure" : null, "aria-sort": sorted }, button);
  }

  // What has no value comes last, whichever way it is sorted.
  #order(one, other, fields) {
    const { column, down } = this.sort;
    const of = (trial) => (fields.includes(column) ? trial.values[column] : trial[FIGURES[column]?.[0] ?? column]) ?? null;
    const [a, b] = [of(one), of(other)];
    if (a === null || b === null) return (a === null) - (b === null) || one.trial - other.trial;
    const by = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return (down ? -by : by) || one.trial - other.trial;
  }

  #row(trial, fields) {
    const best = trial.trial === this.state.best?.trial;
    const chip = h("span", { class: "chip", "data-state": COLOURS[trial.state] ?? trial.state, title: trial.fault ? toldInFull(trial.fault) : null }, ending(trial));
    const number = trial.run ? this.#link(trial) : integer(trial.trial);
    return h(
      "tr",
      { class: best ? "best" : null, "data-trial": trial.trial, "data-state": trial.state },
      h("th", { scope: "row" }, number, best ? h("small", {}, say("sweep.table.best")) : null),
      h("td", {}, chip, trial.fault ? h("span", { class: "aloud" }, toldInFull(trial.fault)) : null),
      ...fields.map((key) => h("td", {}, valueText(key, trial.values[key]))),
      ...Object.values(FIGURES).map(([name, words]) => h("td", { class: "figure" }, words(trial.state === "waiting" ? NaN : (trial[name] ?? NaN)))),
    );
  }

  #link(trial) {
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, as any link
      event.preventDefault();
      this.open(trial.run);
    };
    return h("a", { href: addressOf(trial.run), "data-of": `run ${trial.run}`, title: say("sweep.table.open", { run: trial.run, trial: integer(trial.trial) }), onclick: press }, integer(trial.trial));
  }
}
