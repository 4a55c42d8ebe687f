// The largest micro-batch that fits, with the steps that keep the effective batch; and one real step to try it.

import { h, setAttribute, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { compareText, errorText, withPlan } from "./categories.js";
import { standing } from "./memory-standing.js";
import { planText, samePlan } from "./plans.js";
import { Question } from "./question.js";
import { Savers } from "./savers.js";
import { Standing } from "./standing.js";
import { alive } from "./status.js";
import { bytes, integer, say } from "./words.js";

const PAUSE_MS = 350;

export class Fit {
  constructor({ server, looking, use, attempt, stop }) {
    Object.assign(this, { use, settings: null, budget: null, found: null, own: null, asks: false });
    this.effective = h("input", { type: "number", id: "fit-effective", min: 1, step: 1, oninput: () => this.#ask() });
    this.sentence = h("p", { class: "fit-sentence", role: "status" });
    this.choices = h("ul", { id: "fit-choices", class: "fit-choices" });
    this.help = h("p", { hidden: true }, say("memory.fit.would-help"));
    this.savers = new Savers({ ask: (question) => server.savers(question), use, looking });
    this.tryIt = h("button", { type: "button", id: "fit-try", class: "plain", onclick: () => attempt(withPlan(this.settings.config, this.tried)) });
    this.stop = h("button", { type: "button", id: "fit-stop", class: "plain", hidden: true, onclick: () => stop(this.run.id) }, say("button.stop"));
    this.standing = new Standing("fit-status");
    this.compared = h("p", { class: "compared" });
    const title = h("h3", { id: "fit-title" }, say("memory.fit.title"));
    this.element = h(
      "section",
      { id: "memory-fit", class: "part fit", "aria-labelledby": title.id },
      title,
      h("label", { class: "amount-field" }, say("memory.fit.effective"), this.effective),
      h("div", { class: "fit-found" }, this.sentence, this.choices, this.help, this.savers.element),
      h("div", { class: "fit-acts" }, this.tryIt, this.stop),
      this.standing.element,
      this.compared,
    );
    this.question = new Question({ ask: (question) => server.fit(question), looking, heard: (reply) => this.#heard(reply) });
    setText(this.sentence, say("memory.fit.empty"));
  }

  // Which plan one real step would try.
  get tried() {
    const { choice = null } = this.found ?? {};
    return choice ? [choice.micro_batch, choice.steps] : (this.settings?.own ?? [1, 1]);
  }

  // The effective batch is the form's whenever that gets another plan; then one may write one's own.
  put(settings, budget) {
    const own = [...settings.own, settings.processes];
    if (String(own) !== String(this.own)) this.effective.value = own.reduce((product, number) => product * number);
    Object.assign(this, { settings, budget, own });
    this.#ask();
    this.#show();
  }

  look() {
    this.question.look();
    this.savers.look();
  }

  // `reply` is the newest trial; `why` none can be started now; `predicted(account)` is what was foretold of one.
  render({ reply, result, why, lost, predicted }) {
    this.run = alive(reply?.run) ? reply.run : null;
    this.#nameTry();
    this.tryIt.disabled = why !== null;
    setAttribute(this.tryIt, "title", why ?? say("memory.fit.try.title", { plan: planText(this.tried) }));
    this.stop.hidden = !this.run;
    const nothing = !reply?.run;
    this.standing.element.classList.toggle("blank", nothing);
    if (lost) this.standing.renderLost(lost);
    else if (!nothing) this.standing.render(standing(reply, result, "trial"));
    const [account] = result?.accounts ?? [];
    const [error] = result?.errors ?? [];
    const words = account
      ? compareText(planText([account.micro_batch, account.steps]), account.peak_bytes, predicted(account))
      : error
        ? errorText(error)
        : "";
    setText(this.compared, words);
    this.compared.classList.toggle("faulty", !account && Boolean(error));
  }

  #ask() {
    if (!this.settings) return;
    const effective = this.effective.valueAsNumber;
    const whole = Number.isInteger(effective) && effective >= 1;
    this.asks = whole && this.budget.bytes !== null;
    setAttribute(this.effective, "aria-invalid", whole ? null : "true");
    if (this.asks) this.question.put({ config: this.settings.config, device: this.budget.wanted, effective, budget: this.budget.bytes }, this.found ? PAUSE_MS : 0);
    this.#pale();
  }

  #heard(reply) {
    if (reply === undefined) return; // the poll of measurements says that the program is silent
    this.fault = reply.fault ?? (reply.state === "failed" ? reply : null);
    if (this.fault) this.found = null; // none of other settings stands for these
    if (reply.state === "done") this.found = reply;
    this.#show();
  }

  // What stands there answers another question, or none is asked: a field is empty or holds no such number.
  #pale() {
    const stale = this.question.open !== null || (!this.asks && this.found !== null);
    this.element.querySelector(".fit-found").classList.toggle("stale", stale);
  }

  #show() {
    this.#pale();
    this.#nameTry();
    const { found, fault, settings } = this;
    const mark = JSON.stringify([found, fault, settings?.config]);
    if (mark === this.shown || (!found && !fault)) return;
    this.shown = mark;
    this.sentence.classList.toggle("faulty", Boolean(fault));
    if (fault) {
      this.sentence.replaceChildren(...faultLines(fault).map((line) => h("span", {}, line.textContent, " ")));
      this.choices.replaceChildren();
      this.help.hidden = true;
      this.savers.put(null);
      return;
    }
    const none = !found.choice && !found.nearest.length;
    setText(this.sentence, none ? say("memory.fit.none", { least: bytes(found.least_bytes), budget: bytes(found.budget_bytes) }) : found.exact ? "" : say("memory.fit.inexact", { effective: integer(found.effective) }));
    this.choices.replaceChildren(
      ...(found.choice ? [this.#choice(found.choice, true)] : []),
      ...(found.choice && found.nearest.length ? [h("li", { class: "near" }, say("memory.fit.near"))] : []),
      ...found.nearest.map((choice) => this.#choice(choice, false)),
    );
    this.help.hidden = !none;
    this.savers.put(none ? withPlan(settings.config, [1, Math.ceil(found.effective / settings.processes)]) : null, { device: this.budget.wanted, budget: found.budget_bytes });
  }

  // At once: a press tries what is found by now, whenever the next news of a trial come.
  #nameTry() {
    setText(this.tryIt, say("memory.fit.try", { plan: planText(this.tried) }));
  }

  #choice({ micro_batch: rows, steps, effective, peak_bytes: peak }, main) {
    const plan = [rows, steps];
    const set = samePlan(plan, this.settings.own);
    const devices = this.settings.processes > 1 ? ` × ${integer(this.settings.processes)}` : "";
    const words = say("memory.fit.choice", { micro_batch: integer(rows), steps: integer(steps) + devices, effective: integer(effective) });
    return h(
      "li",
      { class: main ? "main" : null },
      h("strong", {}, words),
      h("span", {}, say("memory.fit.peak", { peak: bytes(peak), budget: bytes(this.found.budget_bytes) })),
      set
        ? h("small", {}, say("memory.fit.in-form"))
        : h("button", { type: "button", class: "plain small", title: say("memory.fit.use.title", { plan: planText(plan) }), onclick: () => this.use(withPlan(this.settings.config, plan)) }, say("memory.fit.use")),
    );
  }
}
