// The list of runs, newest first. A click opens one in the live view.

import { addressOf, goTo } from "./address.js";
import { h } from "./dom.js";
import { Poll } from "./poll.js";
import { dataName, evaluation, product } from "./status.js";
import { integer, moment, number, say } from "./words.js";

const COLUMNS = ["run", "what", "plan", "state", "updates", "loss", "eval", "when"];

export function mount(element, server) {
  const body = h("tbody", {});
  const table = h(
    "table",
    { class: "runs" },
    h("thead", {}, h("tr", {}, ...COLUMNS.map((name) => h("th", { scope: "col", class: name }, say(`runs.${name}`))))),
    body,
  );
  const empty = h("p", { class: "empty-list", hidden: true }, say("runs.empty"));
  const more = h("button", { type: "button", class: "plain", hidden: true, onclick: older }, say("runs.more"));
  let most = 50;
  let shown = "";

  element.replaceChildren(h("div", { class: "runs-list" }, h("div", { class: "runs-scroll" }, table), empty, more));

  const poll = new Poll({ ask, take, lost: () => {} });
  new IntersectionObserver(([entry]) => entry.isIntersecting && poll.now()).observe(element);

  function older() {
    most += 200;
    poll.now();
  }

  async function ask() {
    if (!element.offsetParent) return null;
    const reply = await server.runs({ most });
    return reply === undefined ? undefined : JSON.parse(reply);
  }

  function take({ runs, more: left }) {
    const mark = JSON.stringify(runs);
    if (mark !== shown) {
      shown = mark;
      body.replaceChildren(...runs.map(row));
      empty.hidden = runs.length > 0;
      table.hidden = runs.length === 0;
      more.hidden = !left;
    }
    return false; // a list is read at leisure
  }
}

function row(run) {
  const { micro_batch, accumulation_steps, effective_batch } = product(run);
  const link = h(
    "a",
    {
      href: addressOf(run.id),
      title: say("runs.open", { run: run.id }),
      onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab, as any link
        event.preventDefault();
        open(run.id);
      },
    },
    String(run.id),
  );
  const cells = {
    run: link,
    what: `${run.config.model} · ${dataName(run.config.data)}`,
    plan: `${micro_batch} × ${accumulation_steps} = ${effective_batch}`,
    state: h("span", { class: "chip", "data-state": run.state }, say(`state.${run.state}`)),
    updates: run.plan ? `${integer(run.update)} / ${integer(run.plan.updates_total)}` : integer(run.update),
    loss: number(run.loss),
    eval: evaluation(run) || say("amount.none"),
    when: moment(run.started ?? run.created),
  };
  return h(
    "tr",
    { onclick: (event) => !event.defaultPrevented && !event.target.closest("a") && open(run.id) },
    ...COLUMNS.map((name) => h("td", { class: name, "data-name": say(`runs.${name}`) }, cells[name])),
  );
}

function open(run) {
  goTo(run);
  document.getElementById("tab-train-button").click();
}
