// What a start would do: how many trials, with which plans, and about how long.

import { h, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { planText } from "./plans.js";
import { fieldName, valueText } from "./sweep-names.js";
import { duration, integer, say, sayCount } from "./words.js";

const MOST_PLANS = 16;
const MOST_LEFT_OUT = 6;

export class SweepBefore {
  constructor() {
    this.line = h("p", { class: "sweep-trials" });
    this.plans = h("ul", { class: "sweep-plans", "aria-label": say("sweep.before.plans") });
    this.left = h("p", { class: "left-out", hidden: true });
    this.fault = h("div", { id: "sweep-fault", class: "spoken", "data-tone": "bad", role: "status" });
    this.element = h("section", { id: "sweep-before", class: "part sweep-before", "aria-label": say("sweep.before") }, this.line, this.plans, this.left, this.fault);
  }

  // `found` is the program's answer, or null while it is on its way.
  render(found, stale) {
    this.element.classList.toggle("stale", stale);
    const mark = JSON.stringify(found);
    if (mark === this.shown) return;
    this.shown = mark;
    const fault = found?.fault ?? null;
    this.fault.replaceChildren(...(fault ? faultLines(fault) : []));
    const { trials = null, seconds = null, plans = [], left_out: left = [] } = fault ? {} : (found ?? {});
    this.line.replaceChildren(
      ...(trials === null ? [fault ? "" : say("sweep.before.working")] : [h("strong", {}, sayCount("sweep.before.trials", trials)), " · ", seconds === null ? say("sweep.before.unknown") : say("sweep.before.about", { time: duration(seconds) })]),
    );
    const drawn = trials !== null && !plans.length ? [h("li", {}, say("sweep.before.drawn"))] : [];
    const more = plans.length > MOST_PLANS ? [h("li", {}, "…")] : [];
    this.plans.replaceChildren(...plans.slice(0, MOST_PLANS).map(([rows, steps, effective]) => h("li", {}, say("sweep.before.plan", { plan: planText([rows, steps, effective / (rows * steps)]), effective: integer(effective) }))), ...drawn, ...more);
    this.left.hidden = !left.length;
    setText(this.left, left.length ? sayCount("sweep.before.left-out", left.length, { which: named(left) }) : "");
  }
}

// “micro-batch 3; micro-batch 5, learning rate 1e-4; …”
function named(combinations) {
  const shown = combinations.slice(0, MOST_LEFT_OUT).map((values) =>
    Object.entries(values)
      .map(([key, value]) => say("sweep.before.pair", { field: fieldName(key), value: valueText(key, value) }))
      .join(", "),
  );
  return [...shown, ...(combinations.length > MOST_LEFT_OUT ? ["…"] : [])].join("; ");
}
