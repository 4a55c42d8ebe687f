// Plans against ways: how far each gradient is from the large batch's. A row chooses what the chart of layers shows.

import { h } from "./dom.js";
import { planText, samePlan } from "./plans.js";
import { SIGNS, WAYS, errorText, ratioText, stateOf, wayOf } from "./prove-figures.js";
import { number, say } from "./words.js";

export class Table {
  constructor(choose) {
    this.choose = choose;
    this.body = h("tbody", {});
    this.ours = h("span", {});
    const heads = WAYS.map(({ name, colour }) =>
      h("th", { scope: "col" }, h("span", { class: "way", style: `--key: var(--${colour})` }, name === "accumulated" ? this.ours : say(`prove.way.${name}`))),
    );
    const table = h("table", { class: "ways" }, h("caption", {}, say("prove.table.about")), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("prove.plan")), ...heads)), this.body);
    this.empty = h("p", { class: "empty-list" }, say("prove.table.empty"));
    this.table = table;
    this.element = h("section", { id: "prove-table", class: "part", "aria-labelledby": "prove-table-title" }, h("h3", { id: "prove-table-title" }, say("prove.table.title")), this.empty, table);
    this.render(null, null, true);
  }

  render(result, selected, ended, normalization = "exact") {
    this.empty.hidden = Boolean(result);
    this.table.hidden = !result;
    const mark = JSON.stringify([result?.plans, result?.proof?.ways.length, selected, ended, normalization]);
    if (mark === this.shown || !result) return;
    this.shown = mark;
    this.ours.textContent = normalization === "exact" ? say("prove.way.accumulated") : say("prove.way.set-to", { normalization: say(`prove.way.${normalization}`) });
    const focused = document.activeElement?.dataset?.plan;
    this.body.replaceChildren(...result.plans.map((plan, place) => this.#row(result.proof, plan, place === 0, selected, ended)));
    if (focused) this.body.querySelector(`[data-plan="${focused}"]`)?.focus();
  }

  #row(proof, plan, own, selected, ended) {
    const chosen = Boolean(selected) && samePlan(plan, selected);
    const button = h(
      "button",
      { type: "button", class: "link plan", "data-plan": plan.join("x"), "aria-pressed": String(chosen), title: say("prove.plan.choose", { plan: planText(plan) }) },
      planText(plan),
    );
    const head = h("th", { scope: "row" }, button, own ? h("small", {}, say("prove.plan.own")) : null);
    return h("tr", { class: chosen ? "chosen" : null, onclick: () => this.choose(plan) }, head, ...WAYS.map(({ name }) => cell(proof, wayOf(proof, name, plan), name, ended)));
  }
}

function cell(proof, way, name, ended) {
  if (!way) {
    const never = proof.own_loss && name === "mean-of-means";
    return h("td", { class: "figure missing" }, ended || never ? say("amount.none") : "…", h("span", { class: "aloud" }, say(ended ? "prove.cell.left-out" : "prove.cell.awaited")));
  }
  // a loss of one's own is right where it agrees with its own large batch
  const own = Number.isFinite(way.own_error);
  const error = own ? way.own_error : way.relative_error;
  const state = stateOf(error, proof);
  const cosine = Number.isFinite(way.cosine) ? number(way.cosine, 7) : say("amount.none");
  return h(
    "td",
    { class: "figure", "data-state": state, title: say("prove.cell.title", { state: say(`prove.cell.${state}`), cosine, ratio: ratioText(way.norm_ratio) }) },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]),
    h("span", { class: "error" }, errorText(error)),
    h("span", { class: "aloud" }, `${say(`prove.cell.${state}`)},`),
    h("span", { class: "norm" }, h("span", { class: "norm-word" }, `${say("prove.cell.norm-word")} `), ratioText(way.norm_ratio)),
    own ? h("span", { class: "norm" }, say("prove.cell.own", { error: errorText(way.relative_error) })) : null,
  );
}
