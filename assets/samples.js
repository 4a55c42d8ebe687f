// What a run says of the same few texts as it learns: a timeline, read from the store by a cursor.

import { h, setAttribute, setText } from "./dom.js";
import { Poll } from "./poll.js";
import { answerParts, bars, verdict, wantedText } from "./sample-text.js";
import { alive } from "./status.js";
import { integer, say } from "./words.js";

const BARS = 3;

export function mount(element, server) {
  // `said`: by update, by the index of the text. `chosen`: the update that is looked at; null follows the newest.
  const held = { run: null, cursor: "", texts: new Map(), said: new Map(), chosen: null, asked: "" };
  const slider = h("input", { type: "range", min: 0, max: 0, value: 0, id: "samples-update", oninput: () => choose(updates()[slider.valueAsNumber]) });
  const at = h("output", { for: "samples-update" });
  const newest = h("button", { type: "button", class: "toggle", "aria-pressed": "true", title: say("sample.newest.title"), onclick: () => choose(null) }, say("sample.newest"));
  const bar = h("div", { class: "samples-bar" }, h("label", { for: "samples-update" }, say("sample.slider")), slider, at, newest);
  const empty = h("p", { class: "empty-list" });
  const list = h("ol", { class: "samples-list" });
  const fold = h(
    "details",
    { id: "samples-fold", class: "live under samples", open: true, hidden: true },
    h("summary", {}, h("h3", {}, say("sample.title")), " ", h("span", { class: "about" }, say("sample.about"))),
    bar,
    empty,
    list,
  );
  const cards = new Map();
  element.replaceChildren(fold);

  const looking = () => element.offsetParent !== null;
  const poll = new Poll({ ask, take, lost: () => {} });
  new IntersectionObserver(([entry]) => entry.isIntersecting && poll.now()).observe(element);
  window.addEventListener("birikim:now", ({ detail: { run } }) => {
    const before = held.run;
    const ended = before && run?.id === before.id && alive(before) && !alive(run);
    if (run?.id !== before?.id) clear();
    held.run = run;
    fold.hidden = !run?.config.samples;
    if (!run?.config.samples) return;
    if (run.update !== before?.update || run.state !== before?.state || run.id !== before?.id) poll.now();
    if (!held.said.size || ended) render();
  });

  async function ask() {
    const { run } = held;
    if (!run?.config.samples || !looking()) return null;
    const mark = `${run.id} ${run.state} ${run.ended}`;
    if (!alive(run) && held.asked === mark) return null; // an ended run says no more
    const answer = await server.samples({ run: run.id, cursor: held.cursor });
    if (answer === undefined) return undefined;
    return { of: run.id, mark, ...JSON.parse(answer) };
  }

  function take(reply) {
    if (reply.of !== held.run?.id || reply.fault) return false;
    Object.assign(held, { cursor: reply.cursor, asked: reply.mark });
    if (reply.reset) {
      held.said.clear();
      held.texts.clear();
    }
    for (const text of reply.texts) held.texts.set(text.index, text);
    for (const said of reply.said) {
      if (!held.said.has(said.update)) held.said.set(said.update, new Map());
      held.said.get(said.update).set(said.index, said);
    }
    if (reply.reset || reply.said.length) render();
    return false; // news of the run bring the next question
  }

  function clear() {
    Object.assign(held, { cursor: "", texts: new Map(), said: new Map(), chosen: null, asked: "" });
    cards.clear();
    list.replaceChildren();
  }

  function choose(update) {
    held.chosen = update === updates().at(-1) ? null : update;
    render();
  }

  function updates() {
    return [...held.said.keys()].sort((one, other) => one - other);
  }

  function render() {
    const known = updates();
    const shown = known.includes(held.chosen) ? held.chosen : known.at(-1);
    if (shown !== held.chosen) held.chosen = null;
    bar.hidden = !known.length;
    empty.hidden = known.length > 0;
    setText(empty, say(alive(held.run) ? "sample.awaited" : "sample.none"));
    setAttribute(slider, "max", String(Math.max(0, known.length - 1)));
    if (slider.valueAsNumber !== known.indexOf(shown)) slider.value = known.indexOf(shown);
    slider.disabled = known.length < 2;
    setAttribute(slider, "aria-valuetext", updateText(shown));
    setText(at, shown === undefined ? "" : updateText(shown));
    setAttribute(newest, "aria-pressed", String(held.chosen === null));
    const timeline = known.map((update) => ({ update, said: held.said.get(update) }));
    const indices = [...held.texts.keys()].sort((one, other) => one - other);
    for (const index of indices) {
      if (!cards.has(index)) cards.set(index, new Card(held.texts.get(index), choose));
      const of = timeline.filter(({ said }) => said.has(index)).map(({ update, said }) => ({ update, ...said.get(index) }));
      cards.get(index).render(of, shown, alive(held.run));
    }
    const wanted = indices.map((index) => cards.get(index).element);
    if (wanted.some((card, place) => list.children[place] !== card)) list.replaceChildren(...wanted);
  }
}

// One text: what is given and right, what was said before the training, what is said at the update that is looked at.
class Card {
  constructor(text, choose) {
    Object.assign(this, { text, choose });
    const right = wantedText(text);
    this.first = new Said(text);
    this.shown = new Said(text);
    this.track = h("div", { class: "track", "aria-hidden": "true" });
    this.element = h(
      "li",
      { class: "sample", "data-kind": text.kind },
      h(
        "div",
        { class: "asked" },
        h("small", {}, say("sample.given")),
        h("p", { class: "given", tabindex: "0" }, text.given),
        ...(right === null ? [] : [h("small", {}, say("sample.wanted")), h("p", { class: "wanted", tabindex: "0" }, right)]),
      ),
      this.first.element,
      this.shown.element,
      this.track,
    );
  }

  render(timeline, shown, more) {
    const place = timeline.findIndex(({ update }) => update === shown);
    this.first.render(timeline[0]);
    this.shown.render(timeline[place] ?? null, timeline[place - 1]);
    if (timeline.length === 1) this.shown.hold(say(more ? "sample.later" : "sample.none-later"));
    const mark = JSON.stringify([shown, timeline.length, timeline.at(-1)?.update]);
    if (this.mark === mark) return;
    this.mark = mark;
    this.track.replaceChildren(...timeline.map((said, at) => this.#cell(said, timeline[at - 1], said.update === shown)));
  }

  #cell(said, before, now) {
    const found = verdict(said);
    const moved = before && JSON.stringify(said.got) !== JSON.stringify(before.got);
    const words = found?.words ?? say(moved ? "sample.changed" : "sample.same");
    const title = `${updateText(said.update)}: ${words}`;
    return h("span", { class: "point", "data-tone": found?.tone ?? (moved ? "moved" : "same"), "data-now": now, title, onclick: () => this.choose(said.update) });
  }
}

class Said {
  constructor(text) {
    this.text = text;
    this.update = h("small", {});
    this.verdict = h("strong", { class: "verdict-word" });
    this.answer = h("p", { class: "got", tabindex: text.kind === "text" ? "0" : null });
    this.chances = h("div", {});
    const barred = text.kind === "class" || text.kind === "classes";
    this.element = h("div", { class: "said" }, h("div", { class: "said-head" }, this.update, this.verdict), this.answer, barred ? this.chances : null);
  }

  // Nothing has been said yet that could stand here: what stands elsewhere keeps its room, unseen.
  hold(words) {
    this.mark = null;
    setText(this.update, words);
    setText(this.verdict, "");
    this.element.classList.add("unsaid");
  }

  render(said, before) {
    const mark = JSON.stringify([said, before?.got]);
    if (!said || this.mark === mark) return;
    this.mark = mark;
    this.element.classList.remove("unsaid");
    const found = verdict(said);
    setText(this.update, updateText(said.update));
    setText(this.verdict, found ? `${found.sign} ${found.words}` : "");
    setAttribute(this.verdict, "data-tone", found?.tone ?? null);
    this.answer.replaceChildren(...spaced(this.text.kind, answerParts(this.text, said, before?.got)));
    this.chances.replaceChildren(bars(said.scores, BARS));
  }
}

const spaced = (kind, parts) => (kind === "text" ? parts : parts.flatMap((part, place) => (place ? [" ", part] : [part])));

const updateText = (update) => (update === 0 ? say("sample.before") : say("sample.update", { update: integer(update) }));
