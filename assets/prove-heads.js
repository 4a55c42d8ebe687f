// The saved table of every head, searched by the program and shown page by page. Nothing is asked before it is opened.

import { h, setText } from "./dom.js";
import { SIGNS, errorText, ratioText } from "./prove-figures.js";
import { integer, knows, say, told } from "./words.js";

const PAUSE_MS = 150; // between two keys one still types

export class Heads {
  constructor(server) {
    this.server = server;
    this.task = "";
    this.page = 0;
    this.search = h("input", { type: "search", id: "heads-search", placeholder: say("heads.search"), "aria-label": say("heads.search"), autocomplete: "off", spellcheck: "false", oninput: () => this.#later() });
    this.counts = h("table", { class: "counts" });
    this.body = h("tbody", {});
    const columns = ["head", "task", "ours", "stock", "why"];
    this.table = h("table", { class: "heads" }, h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, say(`heads.${name}`))))), this.body);
    this.found = h("span", { role: "status" });
    this.before = h("button", { type: "button", class: "plain small", onclick: () => this.#turn(-1) }, say("heads.before"));
    this.after = h("button", { type: "button", class: "plain small", onclick: () => this.#turn(1) }, say("heads.after"));
    this.none = h("p", { class: "empty-list", hidden: true });
    this.some = h("div", { class: "heads-some", hidden: true }, h("div", { class: "heads-scroll" }, this.counts), h("div", { class: "heads-bar" }, this.search, this.found, this.before, this.after), h("div", { class: "heads-scroll" }, this.table));
    this.element = h("details", { id: "prove-heads", class: "part", ontoggle: () => this.element.open && this.#ask() }, h("summary", {}, say("heads.title")), h("p", {}, say("heads.about")), this.none, this.some);
  }

  #later() {
    this.page = 0;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  #turn(by) {
    this.page += by;
    this.#ask();
  }

  async #ask() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const answer = await this.server.heads({ search: this.search.value, task: this.task, page: this.page }).catch(() => undefined);
    if (asked !== this.asked) return; // typed on meanwhile
    this.#show(answer === undefined ? { fault: { code: "button.why.offline" } } : JSON.parse(answer));
  }

  #show({ fault, tasks = [], found = 0, page = 0, pages = 0, rows = [] }) {
    const message = fault ? told(fault).message || say(fault.code) : tasks.length ? "" : say("heads.empty");
    setText(this.none, message);
    this.none.hidden = !message;
    this.some.hidden = Boolean(message);
    if (message) return;
    this.page = page;
    this.counts.replaceChildren(...this.#counts(tasks));
    this.body.replaceChildren(...rows.map(row));
    this.table.hidden = !rows.length;
    setText(this.found, found ? say("heads.found", { found: integer(found), page: integer(page + 1), pages: integer(pages) }) : say("heads.found.none"));
    this.before.disabled = page === 0;
    this.after.disabled = page + 1 >= pages;
  }

  #counts(tasks) {
    const columns = ["heads", "built", "exact", "trainer_exact"];
    const total = { task: "", ...Object.fromEntries(columns.map((name) => [name, tasks.reduce((sum, task) => sum + task[name], 0)])) };
    const choose = (task) => {
      this.task = task;
      this.page = 0;
      this.#ask();
    };
    return [
      h("thead", {}, h("tr", {}, ...["task", ...columns].map((name) => h("th", { scope: "col" }, say(`heads.count.${name}`))))),
      h(
        "tbody",
        {},
        ...[...tasks, total].map((each) =>
          h(
            "tr",
            { class: each.task === this.task ? "chosen" : null },
            h("th", { scope: "row" }, h("button", { type: "button", class: "link", "aria-pressed": String(each.task === this.task), onclick: () => choose(each.task) }, each.task || say("heads.all"))),
            ...columns.map((name) => h("td", { class: "count" }, integer(each[name]))),
          ),
        ),
      ),
    ];
  }
}

function row(head) {
  const problem = head.problem_type ? (knows(`heads.${head.problem_type}`) ? say(`heads.${head.problem_type}`) : head.problem_type) : "";
  const why = head.reason ? (knows(`heads.reason.${head.reason}`) ? say(`heads.reason.${head.reason}`) : head.reason) : "";
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, head.head ?? ""),
    h("td", {}, [head.task, problem].filter(Boolean).join(" · ")),
    figure(head.built, head.exact, errorText(head.relative_error)),
    figure(head.built && head.trainer_norm_ratio !== null, head.trainer_exact, ratioText(head.trainer_norm_ratio), head.trainer_way),
    h("td", { class: "why", title: head.detail || null }, why),
  );
}

// `way`: what a wrong gradient is, where that is known.
function figure(found, exact, text, way = null) {
  if (!found) return h("td", { class: "figure missing" }, say("amount.none"));
  const state = exact ? "exact" : "wrong";
  const means = way && !exact && knows(`heads.way.${way}`) ? ` ${say(`heads.way.${way}`)}` : "";
  return h("td", { class: "figure", "data-state": state }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]), text, h("small", {}, means), h("span", { class: "aloud" }, say(`prove.cell.${state}`)));
}
