// A trained model tried: a text and the usual knobs in, what it says out, beside what it said before the training.

import { h, setAttribute, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { Question } from "./question.js";
import { bars, taggedWord } from "./sample-text.js";
import { alive } from "./status.js";
import { duration, number, percent, say } from "./words.js";

const WRITERS = new Set(["text-generation", "text2text-generation"]);
const KNOBS = {
  temperature: { min: 0.05, max: 5, step: 0.05, value: 0.8 },
  top_p: { min: 0.01, max: 1, step: 0.01, value: 0.95 },
  max_new_tokens: { min: 1, max: 512, step: 1, value: 40 },
  seed: { min: 0, max: 2 ** 32 - 1, step: 1, value: 42 },
};
const DRAWN = ["temperature", "top_p", "seed"];

export function mount(element, server) {
  const held = { run: null, mark: "", about: null };
  const looking = () => element.offsetParent !== null;
  const question = (heard) => new Question({ ask: (asked) => server.attempt(asked), looking, heard });

  const about = h("span", { class: "about" });
  const label = h("label", { for: "try-text" });
  const text = h("textarea", { id: "try-text", rows: 3, maxlength: 10_000, oninput: refresh, onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && go() });
  const insert = h("button", { type: "button", class: "plain small", id: "try-mask", onclick: insertMask });
  const chat = h("input", { type: "checkbox", id: "try-chat" });
  const chatLine = h("label", { class: "try-check" }, chat, say("attempt.chat"));
  const greedy = radio("greedy", true);
  const draw = radio("draw", false);
  const knobs = Object.fromEntries(Object.entries(KNOBS).map(([name, range]) => [name, h("input", { type: "number", id: `try-${name.replaceAll("_", "-")}`, ...range })]));
  const field = (name) => h("label", { class: "try-knob" }, say(`attempt.${name}`), knobs[name]);
  const writing = h(
    "div",
    { class: "try-knobs" },
    h("fieldset", { class: "segments" }, h("legend", {}, say("attempt.choice")), greedy.element, draw.element),
    ...Object.keys(KNOBS).map(field),
  );
  const run = h("button", { type: "button", class: "act", id: "try-run", onclick: go });
  const answer = new Answer("try-answer", "attempt.answer");
  const base = new Answer("try-base", "attempt.before");
  const fold = h(
    "details",
    { id: "try-fold", class: "live room under try", open: true, hidden: true },
    h("summary", {}, h("h3", {}, say("attempt.title")), " ", about),
    h("div", { class: "try-ask" }, h("div", { class: "try-head" }, label, insert, chatLine), text, writing, h("div", { class: "ask-acts" }, run)),
    h("div", { class: "try-answers" }, answer.element, base.element),
  );
  element.replaceChildren(fold);

  const tryable = new Question({ ask: (asked) => server.tryable(asked), looking, heard: learn });
  const trained = question((reply) => {
    answer.render(reply);
    if (reply?.state === "done" && held.about?.base) {
      before.put({ ...held.asked, request: { ...held.asked.request, base: true } });
      base.render({ state: "working" });
    } else if (reply && reply.state !== "working") base.render(null);
    refresh();
  });
  const before = question((reply) => {
    base.render(reply);
    refresh();
  });

  window.addEventListener("birikim:now", ({ detail: { run: now } }) => {
    const mark = now && !alive(now) ? `${now.id} ${now.ended}` : "";
    if (mark === held.mark) return;
    Object.assign(held, { run: now, mark, about: null });
    for (const each of [trained, before]) each.put(null);
    for (const each of [answer, base]) each.render(null);
    fold.hidden = true;
    tryable.put(mark ? { run: now.id } : null);
  });
  new IntersectionObserver(([entry]) => entry.isIntersecting && [tryable, trained, before].forEach((each) => each.look())).observe(element);

  // What can be asked of this run's model; a fault says that there is none.
  function learn(reply) {
    if (!reply || reply.fault || !held.mark) return;
    held.about = reply;
    const { task, mask } = reply;
    setText(about, say("attempt.about", { run: held.run.id }));
    setText(label, say(`attempt.text.${task}`, { mask: mask ?? "" }));
    setText(run, say(`attempt.run.${task}`));
    setAttribute(run, "title", say("attempt.run.title"));
    setText(insert, say("attempt.insert", { mask: mask ?? "" }));
    insert.hidden = !mask;
    chatLine.hidden = !reply.chat;
    chat.checked = reply.trained_on_chat;
    writing.hidden = !WRITERS.has(task);
    base.element.hidden = !reply.base;
    fold.hidden = false;
    refresh();
  }

  function go() {
    refresh();
    if (run.disabled) return;
    const knob = (name) => (Number.isFinite(knobs[name].valueAsNumber) ? knobs[name].valueAsNumber : null);
    const { task, chat: hasTemplate } = held.about;
    const request = { text: text.value };
    if (WRITERS.has(task)) {
      request.max_new_tokens = knob("max_new_tokens");
      if (draw.input.checked) for (const name of DRAWN) request[name] = knob(name) ?? "";
    }
    if (hasTemplate && chat.checked) request.chat = true;
    held.asked = { run: held.run.id, request };
    // what was refused, or asked before, is asked again
    for (const each of [trained, before]) each.put(null);
    answer.render({ state: "working" });
    base.render(held.about.base ? { state: "waiting" } : null);
    trained.put(held.asked);
    refresh();
  }

  function refresh() {
    for (const name of DRAWN) knobs[name].disabled = greedy.input.checked;
    const why = !text.value.trim() ? "attempt.why.empty" : trained.open || before.open ? "attempt.why.working" : null;
    run.disabled = why !== null;
    setAttribute(run, "title", say(why ?? "attempt.run.title"));
  }

  function insertMask() {
    text.setRangeText(held.about.mask, text.selectionStart, text.selectionEnd, "end");
    text.focus();
    refresh();
  }

  function radio(name, checked) {
    const input = h("input", { type: "radio", name: "try-choice", id: `try-${name}`, checked, onchange: refresh });
    return { input, element: h("label", {}, input, h("span", {}, say(`attempt.${name}`))) };
  }
}

class Answer {
  constructor(id, title) {
    this.state = h("small", { class: "try-state" });
    this.body = h("div", { class: "try-body", tabindex: "0" });
    this.element = h("section", { id, class: "try-answer", "aria-live": "polite" }, h("header", {}, h("h4", {}, say(title)), this.state), this.body);
    this.render(null);
  }

  // An answer of the program; null shows none, `undefined` leaves what is there: it did not answer, and is asked again.
  render(reply) {
    if (reply === undefined) return;
    const state = reply?.fault || reply?.state === "failed" ? "failed" : (reply?.state ?? "none");
    if (state === "working" && this.element.dataset.state === state) return;
    this.element.dataset.state = state;
    setText(this.state, state === "done" ? say("attempt.took", { time: took(reply.seconds) }) : ["working", "waiting"].includes(state) ? say(`attempt.${state}`) : "");
    if (state === "failed") this.body.replaceChildren(h("div", { class: "spoken", role: "alert", "data-tone": "bad" }, ...faultLines(reply.fault ?? reply)));
    else if (state === "done") this.body.replaceChildren(...found(reply));
    else if (state === "none") this.body.replaceChildren(h("p", { class: "empty-list" }, say("attempt.answer.empty")));
  }
}

const took = (seconds) => (seconds < 10 ? say("time.seconds", { s: number(seconds, 2) }) : duration(seconds));

function found(reply) {
  switch (reply.kind) {
    case "text":
      return [h("p", { class: "written" }, reply.text || say("sample.empty"))];
    case "number":
      return [h("p", { class: "main-answer" }, number(reply.got))];
    case "masks":
      return reply.fillings.map((scores, place) => h("div", { class: "filling" }, reply.fillings.length > 1 ? h("small", {}, say("attempt.place", { number: place + 1 })) : null, bars(scores, scores.length)));
    case "tags":
      return [h("p", { class: "tags" }, ...reply.words.flatMap(({ word, name, score }) => [taggedWord(word, name, { title: `${name} ${percent(score)}` }), " "]))];
    default:
      return [h("p", { class: "main-answer" }, [reply.got].flat().join(", ") || say("sample.nothing")), bars(reply.scores, reply.scores.length)];
  }
}
