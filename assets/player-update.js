// What ends a window: the gradient is clipped, the weights move, the gradient is zeroed.

import { h, setAttribute, setText } from "./dom.js";
import { number, say } from "./words.js";

const ACTS = ["clip", "step", "zero"];

export class Update {
  constructor() {
    this.lines = Object.fromEntries(ACTS.map((act) => [act, h("span", { class: "what" })]));
    this.items = ACTS.map((act) => h("li", { "data-act": act }, h("strong", {}, say(`player.update.${act}`)), this.lines[act]));
    this.element = h("section", { class: "scene update" }, h("header", {}, h("h4", {}, say("player.update.title"))), h("ol", {}, ...this.items));
  }

  render({ window: { update, whole }, came }) {
    const words = whole ? told(whole) : {};
    ACTS.forEach((act, place) => {
      setText(this.lines[act], words[act] ?? say("player.update.awaited"));
      setAttribute(this.items[place], "data-done", whole ? String(act !== "zero" || whole.zeroed) : null);
      this.items[place].classList.toggle("just", came.has(`${update}`));
    });
  }
}

function told({ norm, clipped, learning_rate: rate, update_norm: moved, zeroed, exact }) {
  const values = { norm: number(norm), factor: number(clipped, 3), clipped: number(norm * clipped) };
  return {
    clip: say(clipped < 1 ? "player.update.clip.by" : "player.update.clip.none", values),
    step: say("player.update.step.by", { rate: number(rate), moved: `${exact ? "" : "≈ "}${number(moved)}` }),
    zero: say(zeroed ? "player.update.zero.done" : "player.update.zero.not"),
  };
}
