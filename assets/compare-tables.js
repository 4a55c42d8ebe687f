// The figures of each run, what sets the runs apart, and how far they spread over seeds: a column a run.

import { runMark, planOf } from "./compare-picker.js";
import { h, setText } from "./dom.js";
import { metricName } from "./status.js";
import { plainFigure } from "./sweep-names.js";
import { bytes, duration, fieldOf, inPercent, integer, knows, number, percent, say } from "./words.js";

const ROWS = ["model", "data", "state", "batch", "seed", "updates", "examples", "targets", "tokens", "seconds", "loss", "eval_loss"];
const AFTER = ["best", "throughput", "padding", "peak_bytes"];
const REACHED = ["reached-update", "reached-targets", "reached-seconds"];
const FIGURES = 6; // of a setting that a rule has come to
const IN_SPREAD = { throughput: number, peak_bytes: bytes, seconds: took };

export class Tables {
  constructor() {
    this.figures = new Part("compare-figures", "figures");
    this.differences = new Part("compare-differences", "differences");
    this.spread = new Part("compare-spread", "spread");
    this.element = h("div", { class: "compared-tables" }, this.figures.element, this.differences.element, this.spread.element);
  }

  // `found` is the program's answer, or null while nothing is chosen.
  render(found) {
    this.#figures(found);
    this.#differences(found);
    this.#spread(found);
  }

  #figures(found) {
    if (!found) return this.figures.empty(say("compared.figures.empty"));
    const metrics = [...new Set(found.runs.flatMap(({ eval_metrics }) => Object.keys(eval_metrics)))];
    const named = { metric: say(`compared.metric.${found.metric}`), below: number(found.below) };
    const rows = [
      ...ROWS.map((name) => [say(`compared.of.${name}`), found.runs.map((run) => figure(name, run))]),
      ...metrics.map((metric) => [metricName(metric), found.runs.map((run) => number(run.eval_metrics[metric]))]),
      ...AFTER.map((name) => [say(`compared.of.${name}`), found.runs.map((run) => figure(name, run))]),
      ...(found.below === null ? [] : REACHED.map((name) => [say(`compared.of.${name}`, named), found.runs.map((run) => reached(name, run))])),
    ];
    const { least, share } = found.warm_up;
    const notes = [say("compared.warm-up", { least: integer(least), share: inPercent(integer(100 * share)) }), ...(found.below === null ? [] : [say("compared.reach.about")])];
    return this.figures.fill(table(found, rows), notes);
  }

  #differences(found) {
    if (!found) return this.differences.empty(say("compared.differences.empty"));
    if (!found.differences.length) return this.differences.empty(say("compared.differences.none"));
    return this.differences.fill(table(found, found.differences.map(({ key, values }) => [nameOf(key), allWritten(values)])), []);
  }

  #spread(found) {
    if (!found?.groups.length) return this.spread.empty(say("compared.spread.none"));
    const names = [...new Set(found.groups.flatMap(({ values }) => Object.keys(values)))];
    const head = found.groups.map(({ runs }) => say("compared.spread.of", { runs: runs.join(", ") }));
    const rows = names.map((name) => [spreadName(name), found.groups.map(({ values }) => spreadOf(name, values[name]))]);
    return this.spread.fill(laid(head, rows), [say("compared.spread.about")]);
  }
}

// A title, and a table or why there is none.
class Part {
  constructor(id, name) {
    this.title = h("h3", { id: `${id}-title` }, say(`compared.${name}`));
    this.body = h("div", { class: "compared-scroll", role: "region", tabindex: "0", "aria-labelledby": this.title.id });
    this.notes = h("div", { class: "compared-notes" });
    this.nothing = h("p", { class: "empty-list" });
    this.element = h("section", { id, class: "part" }, this.title, this.body, this.nothing, this.notes);
  }

  fill(content, notes) {
    this.body.replaceChildren(content);
    this.body.hidden = false;
    this.nothing.hidden = true;
    this.notes.replaceChildren(...notes.map((text) => h("p", {}, text)));
  }

  empty(words) {
    this.body.hidden = true;
    this.nothing.hidden = false;
    setText(this.nothing, words);
    this.notes.replaceChildren();
  }
}

const table = (found, rows) => laid(found.runs.map(({ run }) => runMark(run)), rows);

function laid(head, rows) {
  const cells = ([name, values]) => h("tr", {}, h("th", { scope: "row" }, name), ...values.map((value) => h("td", {}, value)));
  const first = h("tr", {}, h("th", { scope: "col" }, say("compared.value")), ...head.map((name) => h("th", { scope: "col" }, name)));
  return h("table", { class: "compared" }, h("thead", {}, first), h("tbody", {}, ...rows.map(cells)));
}

function figure(name, run) {
  if (name === "state") return h("span", { class: "chip", "data-state": run.state }, say(`state.${run.state}`));
  if (name === "batch") return planOf(run.plan) ?? say("amount.none");
  if (name === "seconds") return took(run.seconds);
  if (name === "peak_bytes") return bytes(run.peak_bytes ?? NaN);
  if (name === "padding") return percent(run.padding ?? NaN);
  if (name === "best") {
    const best = run.best_evaluation;
    return best ? say("compared.of.best.at", { loss: number(best.loss), update: integer(best.update) }) : say("amount.none");
  }
  const value = run[name];
  if (["updates", "examples", "targets", "tokens"].includes(name)) return integer(value ?? NaN);
  if (typeof value === "number" && name !== "seed") return number(value);
  return value === null || value === undefined ? say("amount.none") : String(value);
}

function reached(name, { reached: at }) {
  if (!at) return say("compared.never");
  if (name === "reached-seconds") return took(at.seconds);
  return integer(name === "reached-update" ? at.update : at.total_targets);
}

// Short times to a tenth of a second: that is where short runs differ.
function took(seconds) {
  return seconds < 100 ? say("time.seconds", { s: number(seconds, 3) }) : duration(seconds);
}

// A key by the name of its field, with the key itself where the config has it.
function nameOf(key) {
  const known = `compared.${key}`;
  if (knows(known)) return say(known);
  const version = key.match(/^fact\.versions\.(.+)$/);
  if (version) return say("compared.version", { name: version[1] });
  const field = fieldOf(key);
  const code = h("code", {}, key);
  return field ? h("span", {}, say(`form.${field}`), " ", code) : code;
}

// As one would write them in the config; numbers with no more figures than tell them apart.
function allWritten(values) {
  const short = values.map((value) => written(value, FIGURES));
  return new Set(short).size === new Set(values.map((value) => written(value))).size ? short : values.map((value) => written(value));
}

function written(value, figures = null) {
  if (value === null) return say("amount.none");
  if (typeof value === "number") return plainFigure(figures && !Number.isInteger(value) ? Number(value.toPrecision(figures)) : value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const spreadName = (name) => (knows(`compared.of.${name}`) ? say(`compared.of.${name}`) : metricName(name));

function spreadOf(name, value) {
  if (!value) return say("amount.none");
  const said = IN_SPREAD[name] ?? number;
  return say("compared.spread.value", { mean: said(value.mean), deviation: said(value.deviation), n: integer(value.n) });
}
