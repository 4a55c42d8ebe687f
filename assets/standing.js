// What a work in the background is at, in words; of one that has ended, on what its figures were found.

import { h, setParts, setText } from "./dom.js";
import { clock, say } from "./words.js";

export class Standing {
  constructor(id) {
    this.state = h("strong", { class: "state" });
    this.place = h("span", { class: "place" });
    this.message = h("div", { class: "outcome", hidden: true });
    this.aloud = h("p", { class: "aloud", role: "status" });
    this.bar = h("span", { class: "progress-done" });
    this.element = h(
      "section",
      { id, class: "standing" },
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
