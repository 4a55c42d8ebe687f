// What would take less memory than these settings, and how much less: one button each, that puts it into the form.

import { h } from "./dom.js";
import { planText } from "./plans.js";
import { Question } from "./question.js";
import { bytes, say } from "./words.js";

export class Savers {
  // `ask(question)` calls the program, `use(config)` puts a config into the form.
  constructor({ ask, use, looking }) {
    this.use = use;
    this.element = h("div", { class: "savers", role: "group" });
    this.question = new Question({ ask, looking, heard: (reply) => this.#show(reply) });
  }

  // The savers of `config` on a kind of `device`, and whether each comes under `budget` bytes; null shows none.
  put(config, { device = null, budget = null } = {}) {
    this.budget = budget;
    const question = config ? { config, device } : null;
    const mark = JSON.stringify(question);
    if (mark === this.mark) return;
    this.mark = mark;
    this.element.replaceChildren();
    this.shown = "";
    this.question.put(question);
  }

  look() {
    this.question.look();
  }

  #show(reply) {
    const mark = JSON.stringify(reply?.savers ?? []);
    if (mark === this.shown || !reply?.savers) return;
    this.shown = mark;
    // one that is known to save nothing is no advice
    const savers = reply.savers.filter(({ state, saves_bytes: saves }) => state !== "done" || saves > 0);
    const focused = document.activeElement?.dataset?.saver;
    this.element.replaceChildren(...(savers.length ? savers.map((saver) => this.#button(saver)) : [h("p", {}, say("memory.savers.none"))]));
    if (focused) this.element.querySelector(`[data-saver="${focused}"]`)?.focus();
  }

  #button({ code, config, state, peak_bytes: peak, saves_bytes: saves }) {
    const { per_device_train_batch_size: rows = 8, gradient_accumulation_steps: steps = 1 } = config.training ?? {};
    const found = this.budget && peak > this.budget ? "saves-too-little" : "saves";
    const what = say(`memory.saver.${state === "done" ? found : state}`, { amount: bytes(saves), peak: bytes(peak) });
    return h(
      "button",
      { type: "button", class: "plain saver", "data-saver": code, title: say("memory.saver.title"), onclick: () => this.use(config) },
      h("strong", {}, say(`memory.saver.${code}`, { plan: planText([rows, steps]) })),
      h("small", {}, what),
    );
  }
}
