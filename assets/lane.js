// The lane: the micro-batches of the window fill up, then the update fires.

import { h, setAttribute, setParts, setText } from "./dom.js";
import { integer, number, say, sayCount } from "./words.js";

const MOST_CELLS = 64; // beyond, a cell would be thinner than its gap: one bar with a count says more
const FIRES_APART_MS = 1000; // updates that come faster than this follow each other too closely for a motion at each
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

export class Lane {
  constructor() {
    this.title = h("span", { class: "lane-title" }, say("window.title"));
    this.cells = h("div", { class: "cells", role: "group", "aria-label": say("window.cells"), onkeydown: (event) => this.#move(event) });
    this.fired = h("span", { class: "fired" }, say("window.update"));
    this.note = h("p", { class: "lane-note" }, say("window.empty"));
    this.element = h(
      "section",
      { id: "window", class: "lane", "aria-label": say("window.title") },
      h("div", { class: "lane-head" }, this.title, this.note),
      h("div", { class: "lane-row" }, this.cells, h("span", { class: "arrow", "aria-hidden": "true" }), this.fired),
    );
    this.summary = [say("window.empty")];
    this.#lay(4);
    this.#fillCells([], 4);
  }

  render(window, run) {
    const of = window.of || (run?.plan?.accumulation_steps ?? 0) * (run?.plan?.processes ?? 1) || 4;
    const done = window.micro_batches;
    const fired = done.length >= of && run?.update >= window.update && window.update > 0;
    this.#lay(of);
    setText(this.title, window.update ? say("window.of", { update: integer(window.update) }) : say("window.title"));
    this.summary = summary(done, of, fired ? run.loss : undefined);
    if (of > MOST_CELLS) this.#fillBar(done.length, of);
    else this.#fillCells(done, of);
    this.#note();
    if (fired && this.before?.of !== window.update) this.#fire(window.update);
    this.fired.classList.toggle("on", fired);
  }

  #fire(update) {
    const now = performance.now();
    const { at, of } = this.before ?? { at: -Infinity, of: 0 };
    this.fired.classList.toggle("apart", update <= of || now - at > FIRES_APART_MS * (update - of));
    this.before = { at: now, of: update };
  }

  #lay(of) {
    if (this.of === of) return;
    this.of = of;
    this.chosen = null;
    const bar = of > MOST_CELLS;
    this.cells.classList.toggle("bar", bar);
    this.cells.style.setProperty("--cells", of);
    this.cells.replaceChildren(...(bar ? [h("span", { class: "cell" })] : Array.from({ length: of }, (_, row) => this.#cell(row, of))));
  }

  // Pointed at, tapped or reached by the keyboard, a cell says in the note what is in it. One of them is in the tab order.
  #cell(row, of) {
    const choose = (chosen) => () => {
      this.chosen = chosen;
      this.#note();
    };
    return h("button", {
      type: "button",
      class: "cell",
      style: `--at: ${of > 1 ? row / (of - 1) : 1}`,
      tabindex: row ? "-1" : "0",
      onpointerenter: choose(row),
      onpointerleave: choose(null),
      onfocus: choose(row),
      onblur: choose(null),
      onclick: choose(row),
    });
  }

  #move(event) {
    if (!(event.key in STEPS) || this.chosen === null) return;
    event.preventDefault();
    const row = Math.min(this.of - 1, Math.max(0, this.chosen + STEPS[event.key]));
    Array.from(this.cells.children).forEach((cell, index) => (cell.tabIndex = index === row ? 0 : -1));
    this.cells.children[row].focus();
  }

  #note() {
    const cell = this.chosen === null ? null : this.cells.children[this.chosen];
    setParts(this.note, cell ? [cell.getAttribute("aria-label") ?? ""] : this.summary);
  }

  #fillBar(done, of) {
    const [bar] = this.cells.children;
    bar.style.setProperty("--at", done / of);
    bar.style.setProperty("--done", `${(100 * done) / of}%`);
  }

  #fillCells(done, of) {
    const byIndex = new Map(done.map((microBatch) => [microBatch.index, microBatch]));
    Array.from(this.cells.children).forEach((cell, row) => {
      const microBatch = byIndex.get(row + 1);
      const what = microBatch ? values(microBatch) : say("window.cell.waiting");
      cell.classList.toggle("full", Boolean(microBatch));
      setAttribute(cell, "aria-label", say("window.cell", { index: integer(row + 1), of: integer(of), what }));
    });
  }
}

// While the window fills up its last micro-batch, once the update has fired the sum: never one in the guise of the other.
function summary(done, of, loss) {
  if (!done.length) return [say("window.empty")];
  const what =
    loss === undefined
      ? say("window.last", { what: values(done.at(-1)) })
      : say("window.sum", { what: values({ loss, targets: total(done, "targets"), examples: total(done, "examples") }) });
  return [say("window.count", { done: integer(done.length), of: integer(of) }), what];
}

const total = (microBatches, name) => microBatches.reduce((before, microBatch) => before + microBatch[name], 0);

const values = ({ loss, targets, examples }) =>
  say("window.values", {
    loss: number(loss),
    targets: sayCount("window.targets", targets),
    examples: sayCount("window.examples", examples),
  });
