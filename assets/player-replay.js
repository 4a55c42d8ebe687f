// The same window as one large batch: whether its gradient is the same, and what each way cost.

import { h, setAttribute, setText } from "./dom.js";
import { planText } from "./plans.js";
import { passText } from "./player-measures.js";
import { SIGNS, errorText } from "./prove-figures.js";
import { bytes, number, say, sayCount, told } from "./words.js";

const WAYS = ["large", "accumulated"];
const FIGURES = { loss: number, norm: number, seconds: passText, peak: bytes };
const CLOSE = 1e-3; // more than rounding makes, and hardly to be seen

export class Replay {
  constructor() {
    this.sign = h("span", { class: "sign", "aria-hidden": "true" });
    this.verdict = h("strong", {});
    this.detail = h("span", { class: "detail" });
    this.said = h("div", { class: "replay-said", role: "status" }, this.sign, h("p", {}, this.verdict, " ", this.detail));
    this.rows = Object.fromEntries(WAYS.map((way) => [way, { name: h("th", { scope: "row" }), cells: Object.keys(FIGURES).map(() => h("td")) }]));
    const heads = ["way", ...Object.keys(FIGURES)].map((name) => h("th", { scope: "col" }, name === "way" ? h("span", { class: "unseen" }, say("player.replay.way")) : say(`player.replay.${name}`)));
    this.element = h(
      "section",
      { id: "player-replay", class: "scene replay" },
      h("header", {}, h("h4", {}, say("player.replay.title"))),
      this.said,
      h(
        "table",
        { class: "replayed" },
        h("caption", { class: "unseen" }, say("player.replay.caption")),
        h("thead", {}, h("tr", {}, ...heads)),
        h("tbody", {}, ...WAYS.map((way) => h("tr", { "data-way": way }, this.rows[way].name, ...this.rows[way].cells))),
      ),
    );
  }

  // Stands until a replay comes, or another window.
  refuse(notice) {
    this.refusal = notice;
  }

  render({ window: { update, replay } }) {
    if (this.of !== `${update} ${replay?.index}`) this.refusal = null;
    this.of = `${update} ${replay?.index}`;
    const found = this.refusal ? refused(this.refusal) : replay ? judged(replay) : null;
    setAttribute(this.said, "data-state", found?.state ?? null);
    setText(this.sign, found ? SIGNS[found.state] : "");
    setText(this.verdict, found?.verdict ?? "");
    setText(this.detail, found?.detail ?? say("player.replay.empty"));
    const plan = replay?.plan.micro_batches ?? [];
    setText(this.rows.large.name, replay ? sayCount("player.replay.large", replay.plan.rows) : say("player.replay.one"));
    setText(this.rows.accumulated.name, replay ? planOf(plan) : say("player.replay.several"));
    for (const way of WAYS) {
      const figures = replay?.[way];
      Object.entries(FIGURES).forEach(([name, words], place) => setText(this.rows[way].cells[place], figures ? words(figures[name === "peak" ? "peak_bytes" : name]) : say("amount.none")));
    }
  }
}

function refused(notice) {
  const { message, remedy } = told(notice);
  return { state: "unbounded", verdict: message, detail: remedy };
}

// “2 × 4, accumulated”, or where they are unequal only how many there are.
function planOf(rows) {
  const plan = rows.every((each) => each === rows[0]) ? planText([rows[0], rows.length]) : sayCount("player.replay.micro-batches", rows.length);
  return say("player.replay.accumulated", { plan });
}

function judged({ large, accumulated, relative_error: error, cosine, tolerance, failure }) {
  if (!large || !accumulated) return { state: "unbounded", verdict: say(large ? "player.replay.unfit.steps" : "player.replay.unfit"), detail: unfitText(failure) };
  const state = error <= tolerance ? "exact" : error < CLOSE ? "close" : "wrong";
  const name = { exact: "same", close: "close", wrong: "other" }[state];
  const detail = error === 0 ? "player.replay.equal.detail" : `player.replay.${name}.detail`;
  return { state, verdict: say(`player.replay.${name}`), detail: say(detail, { error: errorText(error), cosine: number(cosine) }) };
}

function unfitText(failure) {
  const { requested_bytes: asked, taken_bytes: taken, budget_bytes: budget } = failure ?? {};
  const amounts = { asked: bytes(asked), taken: bytes(taken), budget: bytes(budget) };
  if (Number.isFinite(taken) && Number.isFinite(budget)) return say("player.replay.unfit.taken", amounts);
  return Number.isFinite(asked) ? say("player.replay.unfit.asked", amounts) : "";
}
