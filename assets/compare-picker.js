// Which runs are compared: those that are chosen, each with its colour, and a search among the others.

import { h, setText } from "./dom.js";
import { MOST } from "./compare-address.js";
import { colourName, signOf } from "./compare-looks.js";
import { dataName, planOf as dealt, product } from "./status.js";
import { integer, number, say } from "./words.js";

const TYPING_MS = 250;

// Plain in a legend, a heading, a list: the mark and the number of a run.
export const runMark = (run) =>
  h("span", { class: "run-mark", style: `--key: var(--${colourName(run)})` }, h("span", { class: "run-sign", "aria-hidden": "true" }, signOf(run)), say("compared.run", { run }));

export class Picker {
  // `offer(search)` resolves to the program's answer; `turn(run)` takes a run in or out.
  constructor({ offer, turn }) {
    Object.assign(this, { offer, turn, runs: [], offered: null });
    this.chosen = h("ul", { class: "compared-chosen", "aria-label": say("compared.runs") });
    this.count = h("span", { class: "compared-count" });
    this.search = h("input", { type: "search", id: "compare-search", autocomplete: "off", "aria-label": say("compared.search"), placeholder: say("compared.search"), oninput: () => this.#typed() });
    this.list = h("ul", { class: "compared-offers", id: "compare-offers", "aria-label": say("compared.offers") });
    this.note = h("p", { class: "compared-note", role: "status" });
    this.fold = h(
      "details",
      { class: "compared-picker", id: "compare-picker", ontoggle: () => this.fold.open && this.look() },
      h("summary", {}, say("compared.choose"), " ", this.count),
      h("div", { class: "compared-search" }, this.search, this.note, this.list),
    );
    this.element = h("section", { class: "compared-runs" }, this.chosen, this.fold);
  }

  // `figures` of the runs that are known.
  render(runs, figures) {
    const mark = JSON.stringify([runs, figures.map(({ run, title, model, plan }) => [run, title, model, plan])]);
    if (mark === this.mark) return;
    this.mark = mark;
    this.runs = runs;
    const known = new Map(figures.map((each) => [each.run, each]));
    this.chosen.replaceChildren(...runs.map((run) => this.#chip(run, known.get(run))));
    this.chosen.hidden = !runs.length;
    setText(this.count, say("compared.chosen", { count: integer(runs.length), most: integer(MOST) }));
    if (!runs.length) this.fold.open = true;
    this.#lay();
  }

  // Asks which runs there are.
  async look() {
    const search = this.search.value;
    const answer = await this.offer(search);
    if (!answer || answer.fault || search !== this.search.value) return;
    this.offered = answer;
    this.#lay();
  }

  #typed() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.look(), TYPING_MS);
  }

  #chip(run, figures) {
    const remove = h("button", { type: "button", class: "link", title: say("compared.remove", { run }), "aria-label": say("compared.remove", { run }), onclick: () => this.turn(run) }, "×");
    const what = figures ? [figures.title, figures.model, planOf(figures.plan)].filter(Boolean).join(" · ") : "";
    return h("li", { "data-run": run }, runMark(run), h("span", { class: "what" }, what), remove);
  }

  #lay() {
    if (!this.offered) return;
    const full = this.runs.length >= MOST;
    const { runs, any } = this.offered;
    setText(this.note, full ? say("compared.full", { most: integer(MOST) }) : runs.length ? "" : say(any ? "compared.offers.none" : "compared.offers.no-runs"));
    const held = document.activeElement?.dataset?.offered; // the keyboard stays where it was
    this.list.replaceChildren(...runs.map((run) => this.#offer(run, full)));
    if (held) this.list.querySelector(`[data-offered="${held}"]`)?.focus();
  }

  #offer(run, full) {
    const chosen = this.runs.includes(run.id);
    const box = h("input", { type: "checkbox", "data-offered": run.id, onchange: () => this.turn(run.id) });
    box.checked = chosen;
    box.disabled = full && !chosen;
    const parts = [run.title, run.config.model, dataName(run.config.data), `${dealt(run)} = ${product(run).effective_batch}`, say(`state.${run.state}`)].filter(Boolean);
    const loss = Number.isFinite(run.loss) ? [say("status.loss", { loss: number(run.loss) })] : [];
    return h("li", {}, h("label", {}, box, h("strong", {}, String(run.id)), h("span", {}, [...parts, ...loss].join(" · "))));
  }
}

export const planOf = (plan) => plan && `${dealt({ config: {}, plan })} = ${integer(plan.effective_batch)}`;
