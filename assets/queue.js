// The runs that wait for their turn: the next one by name, the others by number.

import { goTo } from "./address.js";
import { h } from "./dom.js";
import { dataName, product } from "./status.js";
import { integer, say } from "./words.js";

export class Queue {
  constructor(command) {
    this.command = command;
    this.element = h("div", { class: "queue", id: "queue" });
    this.shown = "";
  }

  render(waiting) {
    const mark = waiting.map((run) => run.id).join();
    if (mark === this.shown) return;
    this.shown = mark;
    const [next, ...others] = waiting;
    this.element.replaceChildren(...(next ? this.#parts(next, others) : []));
  }

  #parts(next, others) {
    const remove = (event) => {
      event.target.disabled = true;
      this.command(next.id, "stop");
    };
    return [
      h("span", { class: "queue-title" }, say("queue.title")),
      h("button", { type: "button", class: "link next", title: named(next), onclick: () => goTo(next.id) }, named(next)),
      others.length ? h("span", { class: "more", title: others.map(named).join("\n") }, say("queue.more", { count: integer(others.length) })) : null,
      h("button", { type: "button", class: "plain small", title: say("queue.remove.title", { run: next.id }), onclick: remove }, say("queue.remove")),
    ].filter(Boolean);
  }
}

function named(run) {
  const { micro_batch, accumulation_steps } = product(run);
  return say("queue.item", { run: run.id, what: `${run.config.model} · ${dataName(run.config.data)} · ${micro_batch} × ${accumulation_steps}` });
}
