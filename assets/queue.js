// The runs that wait for their turn: the next one by name, the others behind a click. Each can be taken out.

import { goTo } from "./address.js";
import { h } from "./dom.js";
import { dataName, planOf } from "./status.js";
import { integer, say } from "./words.js";

export class Queue {
  constructor(command) {
    this.command = command;
    this.element = h("div", { class: "queue", id: "queue" });
    this.shown = "";
  }

  render(waiting) {
    const open = this.element.querySelector("details")?.open ?? false;
    const mark = waiting.map((run) => run.id).join();
    if (mark === this.shown) return;
    this.shown = mark;
    const [next, ...others] = waiting;
    this.element.replaceChildren(...(next ? this.#parts(next, others, open) : []));
  }

  #parts(next, others, open) {
    const list = () => h("ul", {}, ...others.map((run) => h("li", {}, ...this.#line(run))));
    return [
      h("span", { class: "queue-title" }, say("queue.title")),
      ...this.#line(next),
      ...(others.length ? [h("details", { open }, h("summary", {}, say("queue.more", { count: integer(others.length) })), list())] : []),
    ];
  }

  #line(run) {
    const remove = (event) => {
      event.target.disabled = true;
      this.command(run.id, "stop");
    };
    return [
      h("button", { type: "button", class: "link next", title: named(run), onclick: () => goTo(run.id) }, named(run)),
      h("button", { type: "button", class: "plain small", title: say("queue.remove.title", { run: run.id }), onclick: remove }, say("queue.remove")),
    ];
  }
}

function named(run) {
  return say("queue.item", { run: run.id, what: `${run.config.model} · ${dataName(run.config.data)} · ${planOf(run)}` });
}
