// The experiment of a lesson: its two buttons, what it is at, and its parts.

import { h, setAttribute, setParts, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { clock, duration, say } from "./words.js";

export class Experiment {
  constructor({ start, stop, use }) {
    this.use = use;
    this.start = h("button", { type: "button", id: "lesson-start", class: "act", onclick: start }, say("learn.start"));
    this.stop = h("button", { type: "button", id: "lesson-stop", class: "plain", onclick: stop }, say("button.stop"));
    this.state = h("strong", { class: "state" });
    this.place = h("span", { class: "place" });
    this.why = h("span", { class: "place", id: "lesson-why" });
    this.parts = h("ol", { class: "lesson-parts" });
    this.fault = h("div", { id: "lesson-message", class: "spoken", role: "alert", "data-tone": "bad", hidden: true });
    this.start.setAttribute("aria-describedby", this.why.id);
    this.element = h(
      "div",
      { class: "experiment" },
      h("h3", {}, say("learn.experiment")),
      this.parts,
      h("div", { class: "ask-acts" }, this.start, this.stop),
      h("p", { class: "now", role: "status", id: "lesson-status" }, this.state, this.place, this.why),
      this.fault,
    );
  }

  // `state` is what the program says of the lesson, or null; `why` it can't be started now, or null.
  render({ state, why, lost, fault }) {
    const working = state?.state === "working";
    this.start.disabled = why !== null;
    setAttribute(this.start, "title", why ?? say("learn.start.title"));
    setText(this.start, say(!state || state.state === "fresh" || working ? "learn.start" : "learn.again"));
    this.stop.disabled = !working || Boolean(lost);
    setAttribute(this.stop, "title", working ? say("learn.stop.title") : say("learn.why.idle"));
    this.element.dataset.state = state?.state ?? "";
    this.#say(state, why, lost);
    this.#layParts(state?.lesson, state?.parts ?? []);
    const lines = fault ?? state?.fault ? faultLines(fault ?? state.fault) : [];
    this.fault.hidden = !lines.length;
    this.fault.replaceChildren(...lines);
  }

  #say(state, why, lost) {
    if (lost) {
      setText(this.state, say("state.lost"));
      setParts(this.place, [say("status.silent-since", { time: clock(lost) }), say("status.trying")]);
      setText(this.why, "");
      return;
    }
    const parts = state?.parts ?? [];
    const at = parts.findIndex((part) => part.run !== null && part.state !== "finished");
    setText(this.state, state ? say(`learn.state.${state.state}`) : "");
    setParts(this.place, state?.state === "working" ? [say("learn.part", { part: at + 1, of: parts.length }), ...(state.ahead ? [say("learn.ahead")] : [])] : []);
    setText(this.why, state?.state === "working" ? "" : (why ?? ""));
  }

  #layParts(lesson, parts) {
    const mark = JSON.stringify([lesson, parts.map(({ found, config, ...part }) => part)]);
    if (mark === this.shown) return;
    this.shown = mark;
    const focused = document.activeElement?.dataset?.part;
    this.parts.replaceChildren(...parts.map((part) => this.#part(lesson, part)));
    if (focused) this.parts.querySelector(`[data-part="${focused}"]`)?.focus();
  }

  #part(lesson, part) {
    const name = say(`lesson.${lesson}.part.${part.name}`);
    const activity = part.state === "running" && part.activity ? say(`activity.${part.activity}`) : null;
    const state = part.run === null ? null : (activity ?? say(`state.${part.state}`));
    const told = [state, part.seconds === null ? null : duration(part.seconds)].filter(Boolean).join(" · ");
    return h(
      "li",
      { class: "lesson-part", "data-state": part.state },
      h("span", { class: "part-name" }, name),
      h("span", { class: "part-state" }, told),
      part.kind === "count" ? null : h("button", { type: "button", class: "link", "data-part": part.name, title: say("learn.use.title", { part: name }), onclick: () => this.use(part.config) }, say("learn.use")),
      h("span", { class: "progress", "aria-hidden": "true" }, h("span", { class: "progress-done", style: `--done: ${part.share ?? 0}` })),
    );
  }
}
