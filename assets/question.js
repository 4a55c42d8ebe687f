// A question that is asked until it is answered: again while the program works on it, never while nobody looks.

import { Poll } from "./poll.js";

export class Question {
  // `ask(question)` calls the program; `heard(reply)` hears each answer to the newest question, `undefined` where none came.
  constructor({ ask, looking, heard }) {
    Object.assign(this, { ask, looking, heard, open: null, mark: "null", refused: null, timer: null });
    this.poll = new Poll({ ask: () => this.#ask(), take: (reply) => this.#take(reply), lost: () => this.heard(undefined) });
  }

  // Whether it is a new question; null asks nothing. `pause`: one may still be writing.
  put(question, pause = 0) {
    const mark = JSON.stringify(question);
    if (mark === this.mark) return false;
    Object.assign(this, { mark, open: question, refused: null });
    clearTimeout(this.timer);
    if (question) this.timer = setTimeout(() => this.poll.now(), pause);
    return true;
  }

  // Someone looks again: what could not be answered is asked once more.
  look() {
    Object.assign(this, { open: this.open ?? this.refused, refused: null });
    if (this.open) this.poll.now();
  }

  async #ask() {
    if (!this.open || !this.looking()) return null;
    const { mark } = this;
    const reply = await this.ask(this.open);
    return reply === undefined ? undefined : { mark, reply: JSON.parse(reply) };
  }

  #take({ mark, reply }) {
    if (mark !== this.mark) {
      this.poll.now();
      return true;
    }
    const working = reply.state === "working";
    if (!working) Object.assign(this, { open: null, refused: reply.state === "done" ? null : this.open });
    this.heard(reply);
    return working;
  }
}
