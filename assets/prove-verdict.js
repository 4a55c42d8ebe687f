// The verdict in words: the sentence about the run large enough for the last row, the others below it.

import { h, setParts, setText } from "./dom.js";
import { SIGNS } from "./prove-figures.js";
import { clock, say, told } from "./words.js";

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

// What the proof is at, in words; of one that has ended, on what its figures were found.
export class Standing {
  constructor() {
    this.state = h("strong", { class: "state" });
    this.place = h("span", { class: "place" });
    this.message = h("div", { class: "outcome", hidden: true });
    this.aloud = h("p", { class: "aloud", role: "status" });
    this.bar = h("span", { class: "progress-done" });
    this.element = h(
      "section",
      { id: "prove-status", class: "standing" },
      h("p", { class: "now" }, this.state, this.place),
      h("div", { class: "progress", "aria-hidden": "true" }, this.bar),
      this.message,
      this.aloud,
    );
  }

  render({ state, words, parts, share, message, remedy }) {
    this.element.dataset.state = state;
    this.element.classList.remove("lost");
    setText(this.state, words);
    setParts(this.place, parts);
    setText(this.aloud, words);
    this.bar.style.setProperty("--done", share);
    const text = [message, remedy].join("\n");
    this.message.hidden = !message;
    if (this.told === text) return;
    this.told = text;
    this.message.replaceChildren(h("p", {}, message), ...(remedy ? [h("p", { class: "remedy" }, remedy)] : []));
  }

  // The program has been silent since `since`: what was found until then stays.
  renderLost(since) {
    this.element.classList.add("lost");
    setText(this.state, say("state.lost"));
    setText(this.aloud, say("state.lost"));
    setParts(this.place, [say("status.silent-since", { time: clock(since) }), say("status.trying")]);
  }
}
