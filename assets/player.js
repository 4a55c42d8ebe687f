// The player: a run like a film. Its buttons, and what happens inside the window that is watched.

import { frameInAddress, standAt } from "./address.js";
import { h, setAttribute, setText } from "./dom.js";
import { Gradient } from "./player-gradient.js";
import { Fan } from "./player-fan.js";
import { Film, lastOf } from "./player-film.js";
import { Heat } from "./player-heat.js";
import { Measures } from "./player-measures.js";
import { Replay } from "./player-replay.js";
import { Rows } from "./player-rows.js";
import { Strip } from "./player-strip.js";
import { Update } from "./player-update.js";
import { Poll } from "./poll.js";
import { alive } from "./status.js";
import { integer, say } from "./words.js";

const OPEN = "birikim.player";

export class Player {
  // `ask({run, after})` resolves to what was watched; `buttons` stand beside the title; none for one who only looks on.
  constructor({ ask, buttons = [] }) {
    this.ask = ask;
    this.film = new Film();
    this.run = null;
    this.lane = null;
    this.frame = null; // where one stands {update, index}; null follows the newest
    this.fold = h("button", { type: "button", id: "player-fold", class: "plain", "aria-controls": "player-film", onclick: () => this.#open(!this.open) });
    const turn = (name, step) => h("button", { type: "button", class: "plain small", title: say(`player.${name}.title`), onclick: () => this.#turn(step) }, say(`player.${name}`));
    this.earlier = turn("earlier", -1);
    this.later = turn("later", 1);
    this.newest = h("button", { type: "button", class: "toggle", title: say("player.newest.title"), onclick: () => this.#stand(null) }, say("player.newest"));
    this.title = h("h4", { class: "player-window" });
    this.note = h("p", { class: "player-note" });
    this.aloud = h("p", { class: "aloud", role: "status" });
    this.strip = new Strip((index) => this.#stand({ update: this.#window().update, index }));
    this.rows = new Rows();
    this.measures = new Measures();
    this.gradient = new Gradient();
    this.fan = new Fan();
    this.heat = new Heat();
    this.update = new Update();
    this.replay = new Replay();
    this.empty = h("p", { class: "player-empty" }, h("strong", {}, say("player.empty")), " ", say("player.empty.how"));
    const pair = (name, ...parts) => h("div", { class: `player-pair ${name}` }, ...parts.map(({ element }) => element));
    this.scenes = h(
      "div",
      { class: "player-scenes" },
      h("div", { class: "player-head" }, this.title, h("div", { class: "player-turn", role: "group" }, this.earlier, this.later, this.newest), this.note),
      this.strip.element,
      pair("one", this.rows, this.measures),
      pair("sums", this.gradient, this.fan),
      this.heat.element,
      pair("ends", this.update, this.replay),
    );
    this.film_ = h("div", { id: "player-film", class: "player-film" }, this.empty, this.scenes, this.aloud);
    this.element = h(
      "section",
      { id: "player", class: "player", "aria-labelledby": "player-title" },
      h("div", { class: "player-bar" }, h("h3", { id: "player-title" }, say("player.title")), ...buttons, this.fold),
      this.film_,
    );
    this.poll = new Poll({ ask: () => this.#ask(), take: (reply) => this.#take(reply), lost: () => {} });
    new IntersectionObserver(([entry]) => entry.isIntersecting && this.poll.now()).observe(this.element);
    this.#open(kept() || frameInAddress() !== null);
  }

  // With each word of the page's run, and of its window; `told` anew, what was known of it is taken back.
  render(window, run, anew) {
    const before = this.run;
    if (anew || run?.id !== before?.id) {
      this.film.clear();
      Object.assign(this, { frame: null, asked: "" });
    }
    this.run = run;
    this.lane = run ? window : null;
    if (this.open && this.#mark() !== this.asked) this.poll.now();
    this.#draw(new Set());
  }

  // A press of a button that moves the film wants to see it, unless it was closed by hand; a replay is to be seen in any case.
  reveal(anyway) {
    if (anyway || !this.closed) this.#open(true);
    this.awaits = anyway;
    this.#stand(null);
  }

  #mark() {
    const { run, lane } = this;
    if (!run) return "";
    const place = run.watched ? [run.update, lane.update, lane.micro_batches.length] : [];
    return [run.id, run.state, run.ended, run.watched, ...place].join();
  }

  async #ask() {
    const { run, lane, asked } = this;
    const mark = this.#mark();
    if (!run || !this.open || this.element.offsetParent === null || (mark === asked && !run.watched)) return null;
    const answer = await this.ask({ run: run.id, after: this.film.after });
    return answer === undefined ? undefined : { of: run.id, mark, lane, ...JSON.parse(answer) };
  }

  #take(reply) {
    if (reply.fault || reply.of !== this.run?.id) return false;
    const first = !this.film.known;
    const came = this.film.take(reply);
    // the lane as it stood when the store was asked: told of sooner, a micro-batch would for a moment look like one that nobody watched
    if (this.run.watched && reply.lane.update) this.film.tell(reply.lane);
    this.asked = reply.mark;
    if (first) this.frame = frameInAddress();
    // what a reload brings has not happened just now
    this.#draw(first ? new Set() : came);
    if (this.awaits && reply.replays.length) this.#toReplay();
    return this.run.watched;
  }

  // Why a replay that was asked for can't be.
  refused(notice) {
    this.film.replays += 1;
    this.replay.refuse(notice);
    if (this.awaits) this.#toReplay();
  }

  #toReplay() {
    this.awaits = false;
    this.replay.element.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  #open(yes) {
    this.closed = this.open && !yes;
    this.open = yes;
    this.film_.hidden = !yes;
    setText(this.fold, say(yes ? "player.close" : "player.open"));
    setAttribute(this.fold, "aria-expanded", String(yes));
    keep(yes);
    if (yes) this.poll?.now();
    if (yes) this.#draw(new Set());
  }

  #turn(step) {
    const { updates } = this.film;
    const update = updates[updates.indexOf(this.#window().update) + step];
    this.#stand({ update, index: lastOf(this.film.window(update)) });
  }

  // At the last micro-batch of the newest window one goes on with it.
  #stand(frame) {
    const newest = this.film.updates.at(-1);
    const follows = !frame || (frame.update === newest && frame.index === lastOf(this.film.window(newest)));
    this.frame = follows ? null : frame;
    standAt(this.frame);
    this.#draw(new Set());
  }

  #window() {
    return this.film.window(this.frame?.update) ?? this.film.window(this.film.updates.at(-1));
  }

  // `came`: what has happened just now, and so may move.
  #draw(came) {
    if (!this.open) return;
    const window = this.#window();
    this.empty.hidden = window !== null || (this.run !== null && !this.film.known);
    this.scenes.hidden = window === null;
    if (!window) return;
    const { updates } = this.film;
    const last = Math.max(1, lastOf(window));
    const chosen = this.frame?.update === window.update ? Math.min(this.frame.index, last) : last;
    const scene = { window, chosen, told: window.told.get(chosen), seen: window.seen.get(chosen), came, run: this.run };
    setText(this.title, say("window.of", { update: integer(window.update) }));
    this.earlier.disabled = window.update === updates[0];
    this.later.disabled = window.update === updates.at(-1);
    setAttribute(this.newest, "aria-pressed", String(this.frame === null));
    setText(this.note, this.#noteOf(window));
    for (const part of [this.strip, this.rows, this.measures, this.gradient, this.fan, this.heat, this.update, this.replay]) part.render(scene);
    const words = this.strip.spoken(scene);
    if (came.size) setText(this.aloud, words);
  }

  #noteOf(window) {
    const { run } = this;
    if (window.update !== this.film.updates.at(-1)) return say("player.past");
    if (!alive(run)) return say("player.ended");
    if (!run.watched) return say("player.passed");
    const before = [...window.told.keys()].filter((index) => !window.seen.has(index)).length;
    return before ? say(run.plan?.processes > 1 ? "player.elsewhere" : "player.before", { count: integer(before) }) : "";
  }
}

// Storage may be forbidden; then the player opens closed.
function kept() {
  try {
    return localStorage.getItem(OPEN) === "open";
  } catch {
    return false;
  }
}

function keep(open) {
  try {
    localStorage.setItem(OPEN, open ? "open" : "closed");
  } catch {
    // nothing is lost but the memory of a click
  }
}
