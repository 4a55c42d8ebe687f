// The list of lessons, with a mark at those whose question has been answered by its experiment.

import { addressOfLesson } from "./learn-address.js";
import { h, setAttribute } from "./dom.js";
import { integer, lessons, say } from "./words.js";

export class LessonList {
  constructor(open) {
    this.entries = lessons.map(({ name }, place) => {
      const mark = h("span", { class: "lesson-mark" });
      const link = h(
        "a",
        { id: `lesson-${name}`, href: addressOfLesson(name), onclick: (event) => this.#open(event, name, open) },
        h("span", { class: "lesson-number" }, integer(place + 1)),
        h("span", { class: "lesson-name" }, say(`lesson.${name}.title`)),
        mark,
      );
      return { name, link, mark };
    });
    this.element = h("nav", { class: "lesson-list", "aria-label": say("learn.lessons") }, h("ol", {}, ...this.entries.map(({ link }) => h("li", {}, link))));
  }

  render(current, answers) {
    for (const { name, link, mark } of this.entries) {
      setAttribute(link, "aria-current", name === current ? "page" : null);
      const done = Boolean(answers[name]?.done);
      if (mark.dataset.done === String(done)) continue;
      mark.dataset.done = String(done);
      mark.replaceChildren(...(done ? [h("span", { "aria-hidden": "true" }, "✓"), h("span", { class: "aloud" }, say("learn.done"))] : []));
    }
  }

  #open(event, name, open) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, as any link
    event.preventDefault();
    open(name);
  }
}
