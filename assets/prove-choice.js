// What is asked of a proof: the plans, the precision, and whether the plans are also trained side by side.

import { h, setAttribute, setText } from "./dom.js";
import { planText, samePlan } from "./plans.js";
import { onSettings } from "./settings.js";
import { say } from "./words.js";

const PRECISIONS = ["fp32", "fp64"];
const UPDATES = 20;
const MOST_UPDATES = 200;
const GIVE_UP_MS = 20_000; // a press that has brought no answer by then may be repeated

export class Choice {
  constructor({ start, stop, moved }) {
    this.chips = h("div", { class: "chips" });
    this.plans = [];
    const names = h("fieldset", { class: "plans", id: "prove-plans" }, h("legend", {}, say("prove.plans")), this.chips);
    const precision = h(
      "fieldset",
      { class: "segments", id: "prove-precision" },
      h("legend", {}, say("prove.precision")),
      ...PRECISIONS.map((name) =>
        h("label", { title: say(`prove.precision.${name}`) }, h("input", { type: "radio", name: "prove-precision", value: name, checked: name === "fp32" }), h("span", {}, name)),
      ),
    );
    this.precision = precision;
    this.beside = h("input", { type: "checkbox", id: "prove-side-by-side", onchange: () => this.#showUpdates() });
    this.updates = h("input", { type: "number", id: "prove-updates", min: 1, max: MOST_UPDATES, value: UPDATES, "aria-label": say("prove.updates.label") });
    const beside = h("div", { class: "beside" }, h("label", {}, this.beside, say("prove.side-by-side")), this.updates, h("span", {}, say("prove.updates")));
    this.start = h("button", { type: "button", id: "prove-start", class: "act", onclick: () => this.#press(start) }, say("prove.start"));
    this.stop = h("button", { type: "button", id: "prove-stop", class: "plain", onclick: () => this.#halt(stop) }, say("button.stop"));
    this.element = h(
      "div",
      { class: "ask" },
      names,
      h("div", { class: "ask-row" }, precision, beside),
      h("div", { class: "ask-acts" }, this.start, this.stop),
    );
    this.#showUpdates();
    onSettings((settings) => {
      if (!settings) return;
      this.#lay(settings);
      moved();
    });
  }

  get request() {
    return {
      plans: this.plans.filter(({ input }) => input.checked).map(({ plan }) => plan),
      precision: this.precision.querySelector("input:checked").value,
      updates: this.beside.checked ? this.updates.valueAsNumber : 0,
    };
  }

  // `going`: the proof that is alive, if any.
  render(going, connected) {
    this.going = going;
    if (this.pressed && Date.now() > this.pressed + GIVE_UP_MS) this.pressed = null;
    const offline = connected ? null : say("button.why.offline");
    const why = offline ?? (going ? say("prove.why.under-way", { run: going.id }) : this.pressed ? say("prove.why.asked") : null);
    this.start.disabled = why !== null;
    setAttribute(this.start, "title", why ?? say("prove.start.title"));
    const idle = offline ?? (going ? null : say("prove.why.none"));
    const stopping = going !== null && this.stopped === going?.id;
    setText(this.stop, say(stopping ? "prove.stopping" : "button.stop"));
    this.stop.disabled = idle !== null || stopping;
    setAttribute(this.stop, "title", idle ?? say("prove.stop.title"));
  }

  answered() {
    this.pressed = null;
  }

  #halt(stop) {
    this.stopped = this.going?.id;
    this.render(this.going, true);
    stop();
  }

  #press(start) {
    this.pressed = Date.now();
    this.render(this.going, true);
    start(this.request);
  }

  #showUpdates() {
    this.updates.disabled = !this.beside.checked;
  }

  // Another window has other plans, and the choice begins anew; else it stays.
  #lay({ window: { own, plans } }) {
    if (this.own && samePlan(own, this.own)) return;
    this.own = own;
    const [small, large] = [plans[0], plans.at(-1)];
    this.plans = plans.map((plan) => {
      const mine = samePlan(plan, own);
      const checked = mine || plan === small || plan === large;
      return { plan, mine, input: h("input", { type: "checkbox", value: planText(plan), checked, disabled: mine }) };
    });
    this.chips.replaceChildren(
      ...this.plans.map(({ plan, mine, input }) =>
        h("label", { class: "chip-choice", title: mine ? say("prove.plan.own.title") : null }, input, h("span", {}, planText(plan), mine ? h("small", {}, say("prove.plan.own")) : null)),
      ),
    );
  }
}
