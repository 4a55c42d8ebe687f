// The predicted peak in figures that the last row can read, its parts as one bar, and the moment that it comes in.

import { h, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { CATEGORIES, momentText, shareText, swatch } from "./categories.js";
import { planText } from "./plans.js";
import { bytes, integer, say } from "./words.js";

export class Peak {
  constructor() {
    this.working = h("span", { class: "working" });
    this.amount = h("strong", { class: "amount" }, say("amount.none"));
    this.verdict = h("span", { class: "verdict-words" });
    this.of = h("span", { class: "of" });
    this.moment = h("p", { class: "moment" }, say("memory.peak.empty"));
    this.fault = h("div", { class: "spoken", "data-tone": "bad", hidden: true });
    this.bar = h("div", { class: "parts-bar", "aria-hidden": "true" });
    this.names = h("ul", { class: "parts-names" });
    this.notes = h("p", { class: "notes" });
    const title = h("h3", { id: "memory-peak-title" }, say("memory.peak"));
    this.figures = h(
      "div",
      { class: "peak-figures" },
      h("div", { id: "memory-peak", "aria-live": "polite", "aria-atomic": "true" }, h("p", { class: "peak-sum" }, this.amount, h("span", { class: "peak-words" }, this.of, this.verdict)), this.moment, this.fault),
      h("div", { id: "memory-parts", role: "group", "aria-label": say("memory.peak.parts") }, this.bar, this.names),
      this.notes,
    );
    this.element = h("section", { class: "peak part", "aria-labelledby": title.id }, h("header", { class: "part-head" }, title, this.working), this.figures);
    this.#parts(null);
  }

  // `account` is the newest that is known, `budget` what it is held against; `working`: a newer one is under way.
  render({ account, budget, working, stale, fault }) {
    setText(this.working, working ? say("memory.peak.working") : "");
    this.figures.classList.toggle("stale", stale);
    const mark = JSON.stringify([account, budget.bytes, budget.words, fault]);
    if (mark === this.shown) return;
    this.shown = mark;
    setText(this.amount, bytes(account?.peak_bytes));
    this.fault.hidden = !fault;
    this.moment.hidden = Boolean(fault);
    this.fault.replaceChildren(...(fault ? faultLines(fault) : []));
    this.#hold(account?.peak_bytes ?? null, budget);
    setText(this.moment, account ? momentText(account) : say("memory.peak.empty"));
    this.#parts(account);
    this.notes.replaceChildren();
    if (account) this.notes.replaceChildren(h("span", {}, reckoned(account)), " ", h("span", { class: "unseen" }, say(`memory.unseen.${account.device}`)));
  }

  #hold(peak, budget) {
    const size = peak === null ? null : budget.bytes;
    this.verdict.dataset.tone = size === null ? "plain" : peak <= size ? "good" : "bad";
    setText(this.verdict, size === null ? "" : peak <= size ? say("memory.fits", { left: bytes(size - peak) }) : say("memory.beyond", { over: bytes(peak - size) }));
    setText(this.of, size === null ? "" : budget.words);
  }

  #parts(account) {
    const parts = CATEGORIES.map((category) => ({ category, size: account?.parts[category] ?? null }));
    this.bar.replaceChildren(...parts.filter(({ size }) => size > 0).map(({ category, size }) => h("span", { class: "predicted", style: `--key: var(--${category}); flex-grow: ${size / account.peak_bytes}` })));
    this.names.replaceChildren(
      ...parts.map(({ category, size }) =>
        h("li", {}, swatch(category, say(`memory.category.${category}`)), h("strong", {}, bytes(size ?? NaN)), h("small", {}, size === null ? "" : shareText(size, account.peak_bytes))),
      ),
    );
  }
}

// For which window the figure is: never one of other settings in the guise of these.
const reckoned = ({ micro_batch: rows, steps, length, parameters, trainable }) =>
  say(trainable === parameters ? "memory.reckoned.all" : "memory.reckoned", {
    plan: planText([rows, steps]),
    length: integer(length),
    parameters: integer(parameters),
    trainable: integer(trainable),
  });
