// The film strip: a frame a micro-batch, then the update and the zeroing.

import { h, setAttribute, setText } from "./dom.js";
import { keepInView, lastOf, shareOf } from "./player-film.js";
import { WEIGHT_FIGURES } from "./player-measures.js";
import { integer, number, say } from "./words.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const MOST_TERMS = 8; // of a sum that is written out

export class Strip {
  constructor(choose) {
    this.choose = choose;
    this.frames = h("div", { class: "frames", role: "group", "aria-label": say("player.strip"), onkeydown: (event) => this.#move(event) });
    this.update = act("update");
    this.zero = act("zeroed");
    this.sum = h("p", { class: "player-sum" });
    this.element = h("div", { class: "strip-of-film" }, h("div", { class: "strip-row" }, this.frames, this.update.element, this.zero.element), this.sum);
    this.of = 0;
  }

  render(scene) {
    const { window, came } = scene;
    const of = Math.max(window.of, lastOf(window));
    if (of !== this.of) this.#lay(of);
    this.last = lastOf(window);
    Array.from(this.frames.children).forEach((frame, place) => this.#frame(frame, place + 1, scene));
    const { whole } = window;
    this.update.render(whole !== null, whole ? say("player.act.rate", { rate: number(whole.learning_rate) }) : "", came.has(`${window.update}`), say(whole ? "player.act.moved" : "player.act.update.read"));
    this.zero.render(Boolean(whole?.zeroed), whole?.zeroed ? "G = 0" : "", came.has(`${window.update}`), say(whole?.zeroed ? "player.update.zero.done" : "player.act.zeroed.read"));
    setText(this.sum, sumText(window, of));
    keepInView(this.frames, this.frames.children[scene.chosen - 1]);
  }

  spoken({ window, chosen }) {
    return this.#words(window, chosen);
  }

  #lay(of) {
    this.of = of;
    this.frames.style.setProperty("--frames", of);
    this.frames.replaceChildren(
      ...Array.from({ length: of }, (_, place) =>
        h(
          "button",
          { type: "button", class: "frame", style: `--at: ${of > 1 ? place / (of - 1) : 1}`, onclick: () => this.choose(place + 1) },
          h("span", { class: "band" }),
          h("span", { class: "number" }, integer(place + 1)),
          h("span", { class: "loss" }),
          h("span", { class: "weight" }),
        ),
      ),
    );
  }

  #frame(frame, index, { window, chosen, came }) {
    const told = window.told.get(index);
    const seen = window.seen.has(index);
    frame.dataset.state = seen ? "seen" : told ? "told" : "waiting";
    frame.disabled = index > this.last;
    frame.tabIndex = index === chosen ? 0 : -1;
    frame.classList.toggle("just", came.has(`${window.update}.${index}`));
    setAttribute(frame, "aria-pressed", String(index === chosen));
    setAttribute(frame, "aria-label", this.#words(window, index));
    setText(frame.children[2], told ? number(told.loss) : "");
    setText(frame.children[3], told ? `× ${number(told.weight, WEIGHT_FIGURES)}` : "");
  }

  #words(window, index) {
    const told = window.told.get(index);
    const seen = window.seen.has(index);
    const values = { loss: number(told?.loss), weight: number(told?.weight, WEIGHT_FIGURES) };
    const what = told ? say(seen ? "player.frame.seen" : "player.frame.told", values) : say(seen ? "player.frame.read" : "player.frame.waiting");
    return say("player.frame", { index: integer(index), of: integer(this.of), what });
  }

  #move(event) {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    const frames = Array.from(this.frames.children);
    const from = frames.indexOf(event.target.closest(".frame"));
    const to = Math.min(this.last - 1, Math.max(0, from + STEPS[event.key]));
    this.choose(to + 1);
    frames[to]?.focus();
  }
}

function act(name) {
  const value = h("span", { class: "value" });
  const element = h("div", { class: "act", "data-act": name, role: "img" }, h("span", { class: "name" }, say(`player.act.${name}`)), value);
  return {
    element,
    render(on, text, just, words) {
      element.classList.toggle("on", on);
      element.classList.toggle("just", just && on);
      setAttribute(element, "aria-label", `${say(`player.act.${name}`)}: ${words}`);
      setText(value, text);
    },
  };
}

// “Loss × weight, summed: 0.577 + 0.551 = 1.128”: as far as the window has come.
function sumText(window, of) {
  const shares = Array.from({ length: of }, (_, place) => shareOf(window.told.get(place + 1)));
  const known = shares.filter((share) => share !== null);
  if (!known.length || shares.slice(0, known.length).includes(null)) return say("player.sum.awaited");
  const terms = known.map((share) => number(share));
  const shown = terms.length > MOST_TERMS ? [...terms.slice(0, 3), "…", terms.at(-1)] : terms;
  const total = number(known.reduce((sum, share) => sum + share, 0));
  return `${say("player.sum")} ${shown.length > 1 ? `${shown.join(" + ")} = ${total}` : total}`;
}
