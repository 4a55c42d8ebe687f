// The question of a lesson: answers to choose from before the experiment, and what is to be said of each after it.

import { h } from "./dom.js";
import { marked } from "./learn-prose.js";
import { say } from "./words.js";

export class LessonQuestion {
  // `chosen(answer)` hears of a choice, a number from 1; `anew()` that it is to be forgotten.
  constructor({ chosen, anew }) {
    this.chosen = chosen;
    this.anew = h("button", { type: "button", id: "lesson-anew", class: "plain small", title: say("learn.anew.title"), onclick: anew }, say("learn.anew"));
    this.fields = h("fieldset", {});
    this.about = h("p", { class: "question-about" }, say("learn.question.about"));
    this.element = h("section", { id: "lesson-question", class: "part question", "aria-labelledby": "lesson-question-title" }, h("h3", { id: "lesson-question-title" }, say("learn.question")), this.fields, this.about, this.anew);
  }

  // `revealed`: what is right is said; `locked`: the experiment is under way, and the answer stands.
  render({ name, answers, right }, answer, revealed, locked) {
    const mark = [name, answer, revealed, locked].join();
    if (mark === this.shown) return;
    const another = name !== this.name;
    Object.assign(this, { shown: mark, name });
    this.about.hidden = answer !== null;
    this.anew.hidden = !revealed;
    if (another || revealed || this.revealed) this.#lay(name, answers, right, answer, revealed);
    this.revealed = revealed;
    for (const input of this.fields.querySelectorAll("input")) {
      input.checked = Number(input.value) === answer;
      input.disabled = revealed || locked;
    }
  }

  #lay(name, answers, right, answer, revealed) {
    const numbers = Array.from({ length: answers }, (_, place) => place + 1);
    this.fields.replaceChildren(
      h("legend", {}, ...marked(say(`lesson.${name}.question`))),
      ...numbers.map((number) => this.#choice(name, number, { right: number === right, mine: number === answer, revealed })),
    );
  }

  #choice(name, number, { right, mine, revealed }) {
    const input = h("input", { type: "radio", name: "lesson-answer", value: number, onchange: () => this.chosen(number) });
    const words = h("span", { class: "answer-words" }, ...marked(say(`lesson.${name}.answer.${number}`)));
    if (!revealed) return h("label", { class: "answer" }, input, words);
    const because = h("p", { class: "because" }, ...marked(say(`lesson.${name}.because.${number}`)));
    return h(
      "div",
      { class: "answer revealed", "data-tone": right ? "good" : "bad" },
      h("label", {}, input, h("span", { class: "sign", "aria-hidden": "true" }, right ? "✓" : "✗"), h("span", { class: "aloud" }, say(right ? "learn.right" : "learn.wrong")), words, mine ? h("small", {}, say("learn.yours")) : null),
      because,
    );
  }
}
