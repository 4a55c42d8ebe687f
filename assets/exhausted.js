// A run that ran out of memory: what was on the device then, and what would take less.

import { h, setText } from "./dom.js";
import { CATEGORIES, swatch } from "./categories.js";
import { Savers } from "./savers.js";
import { bytes, say } from "./words.js";

const CODE = "run.out-of-memory";

export class Exhausted {
  constructor({ server, use, looking }) {
    this.savers = new Savers({ ask: (question) => server.savers(question), use, looking });
    this.title = h("strong", {}, say("memory.exhausted"));
    this.held = h("ul", { class: "held" });
    this.bar = h("div", { class: "held-bar", "aria-hidden": "true" });
    this.close = h("button", { type: "button", class: "plain small put-away", onclick: () => this.#putAway() }, say("memory.exhausted.close"));
    this.element = h("section", { class: "strip exhausted", id: "out-of-memory", "aria-label": say("memory.exhausted"), hidden: true }, h("div", { class: "held-line" }, this.title, this.held, this.close), this.bar, this.savers.element);
  }

  render(run) {
    const failed = run?.state === "failed" && run.code.startsWith(CODE) ? run : null;
    const gone = failed && this.away !== failed.id ? failed : null;
    this.run = failed;
    this.element.hidden = !gone;
    this.savers.put(gone?.config ?? null, { budget: gone?.values.budget_bytes });
    const mark = JSON.stringify([gone?.id, gone?.values]);
    if (mark === this.shown) return;
    this.shown = mark;
    if (gone) this.#explain(gone.values);
  }

  #putAway() {
    this.away = this.run?.id;
    this.render(this.run);
  }

  #explain(values) {
    const parts = CATEGORIES.map((category) => ({ category, size: values[`${category}_bytes`] })).filter(({ size }) => size > 0);
    const most = parts.reduce((one, other) => (other.size > (one?.size ?? 0) ? other : one), null);
    const asked = values.requested_bytes;
    const of = values.budget_bytes;
    setText(this.title, of ? say("memory.exhausted.of", { budget: bytes(of) }) : say("memory.exhausted"));
    this.held.replaceChildren(
      ...parts.map((part) => h("li", { class: part === most ? "most" : null }, swatch(part.category, say("memory.exhausted.held", { category: say(`memory.category.${part.category}`), amount: bytes(part.size) })))),
      ...(asked ? [h("li", { class: "asked" }, say("memory.exhausted.asked", { amount: bytes(asked) }))] : []),
    );
    this.bar.replaceChildren(...parts.map(({ category, size }) => h("span", { style: `--key: var(--${category}); flex-grow: ${size}` })));
    this.bar.hidden = !parts.length;
  }
}
