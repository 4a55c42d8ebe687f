// The verdict in words: the sentence about the run large enough for the last row, the others below it.

import { h } from "./dom.js";
import { SIGNS } from "./prove-figures.js";
import { say, told } from "./words.js";

export class Verdict {
  constructor() {
    this.lines = h("div", { class: "sentences" });
    this.element = h("section", { id: "prove-verdict", class: "verdict", "aria-label": say("prove.verdict"), "aria-live": "polite" }, this.lines);
    this.shown = null;
  }

  render(sentences, waiting) {
    const mark = JSON.stringify([sentences, waiting]);
    if (mark === this.shown) return;
    this.shown = mark;
    const lines = sentences.map((sentence, place) => this.#line(sentence, place === 0));
    this.lines.replaceChildren(...(lines.length ? lines : [h("p", { class: "awaited" }, waiting)]));
  }

  #line(sentence, first) {
    const { message, remedy } = told(sentence);
    const sign = SIGNS[sentence.tone];
    return h(
      "div",
      { class: first ? "sentence main" : "sentence", "data-tone": sentence.tone, "data-code": sentence.code },
      h("span", { class: "sign", "aria-hidden": "true" }, sign ?? ""),
      h("p", {}, message, remedy ? h("span", { class: "remedy" }, ` ${remedy}`) : null),
    );
  }
}
