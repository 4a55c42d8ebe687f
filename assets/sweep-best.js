// The best trial so far, with its values, and a way to take them over.

import { h } from "./dom.js";
import { fieldName, valueText } from "./sweep-names.js";
import { lossText, metricName } from "./sweep-trials.js";
import { integer, say, sayCount } from "./words.js";

const SAME = 1e-5; // relative: no more than rounding sets such losses apart

export class SweepBest {
  constructor({ use, open }) {
    Object.assign(this, { use, open });
    this.body = h("div", { class: "best-body" });
    const title = h("h3", { id: "sweep-best-title" }, say("sweep.best"));
    this.element = h("section", { id: "sweep-best", class: "part sweep-best", "aria-labelledby": title.id }, title, this.body);
  }

  render(state, varied) {
    const best = state?.best ?? null;
    const alike = best ? state.trials.filter((each) => each.trial !== best.trial && isAs(each, best)).length : 0;
    const mark = JSON.stringify([state?.study, best, varied, alike]);
    if (mark === this.shown) return;
    this.shown = mark;
    this.body.replaceChildren(...(best ? this.#parts(state, best, varied, alike) : [h("p", { class: "empty-list" }, say("sweep.best.empty"))]));
  }

  #parts(state, best, varied, alike) {
    const trial = state.trials.find((each) => each.trial === best.trial);
    const button = (id, words, title, act) => h("button", { type: "button", id, class: "plain", title, onclick: act }, words);
    return [
      h("p", { class: "best-line" }, say("sweep.best.said", { trial: integer(best.trial), metric: metricName(state), value: lossText(best.value) })),
      ...(alike ? [h("p", { class: "about" }, sayCount("sweep.best.alike", alike))] : []),
      ...(state.unlike.length ? [h("p", { class: "about" }, say("sweep.best.unlike", { fields: state.unlike.map(fieldName).join(", ") }))] : []),
      h("dl", { class: "best-values" }, ...varied.map((key) => h("div", {}, h("dt", {}, fieldName(key)), h("dd", {}, valueText(key, best.values[key]))))),
      h(
        "div",
        { class: "best-acts" },
        button("sweep-use", say("sweep.best.use"), say("sweep.best.use.title", { trial: integer(best.trial) }), () => this.use(best.trial)),
        ...(trial?.run ? [button("sweep-open", say("sweep.best.open"), say("runs.open", { run: trial.run }), () => this.open(trial.run))] : []),
      ),
    ];
  }
}

const isAs = (trial, best) => trial.state === "finished" && trial.value !== null && Math.abs(trial.value - best.value) <= SAME * Math.abs(best.value);
