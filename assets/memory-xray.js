// The X-ray: one real window of the form's plan and of others, as the ledger saw it.

import { h, setAttribute } from "./dom.js";
import { compareText, errorText } from "./categories.js";
import { Largest } from "./memory-largest.js";
import { Saw } from "./memory-saw.js";
import { standing } from "./memory-standing.js";
import { planText, samePlan } from "./plans.js";
import { Standing } from "./standing.js";
import { alive } from "./status.js";
import { say } from "./words.js";

const MOST_PLANS = 4;

export class Xray {
  // `start(plans)` asks for a measurement, `stop(run)` ends one.
  constructor({ start, stop }) {
    this.chips = h("div", { class: "chips" });
    this.plans = [];
    const choice = h("fieldset", { id: "xray-plans" }, h("legend", {}, say("prove.plans")), this.chips);
    this.start = h("button", { type: "button", id: "xray-start", class: "act", onclick: () => start(this.chosen) }, say("memory.xray.start"));
    this.stop = h("button", { type: "button", id: "xray-stop", class: "plain", onclick: () => stop(this.run.id) }, say("button.stop"));
    this.standing = new Standing("xray-status");
    this.largest = new Largest();
    this.words = h("ul", { class: "compared", id: "xray-words", hidden: true });
    this.saw = new Saw(h("div", { class: "ask" }, choice, h("div", { class: "ask-acts" }, this.start, this.stop)), this.standing.element);
    this.element = h("section", { class: "xray" }, this.saw.element, this.words, this.largest.element);
  }

  get chosen() {
    return this.plans.filter(({ input }) => input.checked).map(({ plan }) => plan);
  }

  // Another window has other plans, and the choice begins anew: the form's own beside one micro-batch of all rows.
  lay({ own, plans }) {
    if (this.own && samePlan(own, this.own) && plans.length === this.plans.length) return;
    this.own = own;
    const beside = [plans.at(-1), plans[0]].find((plan) => !samePlan(plan, own));
    this.plans = plans.map((plan) => {
      const mine = samePlan(plan, own);
      const checked = mine || plan === beside;
      return { plan, mine, input: h("input", { type: "checkbox", value: planText(plan), checked, disabled: mine, onchange: () => this.#limit() }) };
    });
    // the form's own first, in the charts as well
    this.plans.sort((one, other) => Number(other.mine) - Number(one.mine));
    const shown = [...this.plans].sort((one, other) => one.plan[0] - other.plan[0]);
    this.chips.replaceChildren(
      ...shown.map(({ plan, mine, input }) => h("label", { class: "chip-choice" }, input, h("span", {}, planText(plan), mine ? h("small", {}, say("memory.own")) : null))),
    );
  }

  // `reply` is the newest X-ray; `why` none can be started now; `predicted(account)` is what was foretold of one.
  render({ reply, result, why, lost, predicted }) {
    this.run = alive(reply?.run) ? reply.run : null;
    this.start.disabled = why !== null;
    setAttribute(this.start, "title", why ?? say("memory.xray.start.title"));
    const idle = lost ? why : this.run ? null : say("memory.why.none");
    this.stop.disabled = idle !== null;
    setAttribute(this.stop, "title", idle ?? say("memory.xray.stop.title"));
    if (lost) this.standing.renderLost(lost);
    else this.standing.render(standing(reply, result, "xray"));
    const accounts = result?.accounts ?? [];
    const peaks = accounts.map(predicted);
    this.saw.render(accounts, peaks);
    this.largest.render(accounts);
    this.#say(accounts, peaks, result?.errors ?? []);
  }

  #say(accounts, peaks, errors) {
    const lines = [
      ...accounts.map((account, place) => compareText(planText([account.micro_batch, account.steps]), account.peak_bytes, peaks[place])),
      ...errors.map(errorText),
    ];
    if (this.words.dataset.of === lines.join("\n")) return;
    this.words.dataset.of = lines.join("\n");
    this.words.hidden = !lines.length;
    this.words.replaceChildren(...lines.map((line, place) => h("li", { class: place < accounts.length ? null : "faulty" }, line)));
  }

  #limit() {
    const full = this.chosen.length >= MOST_PLANS;
    for (const { input, mine } of this.plans) input.disabled = mine || (full && !input.checked);
  }
}
