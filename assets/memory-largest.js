// The largest tensors that are alive at the peak of one plan, by module or parameter.

import { h } from "./dom.js";
import { swatch } from "./categories.js";
import { planText } from "./plans.js";
import { bytes, integer, say } from "./words.js";

const COLUMNS = ["name", "category", "shape", "dtype", "bytes"];

export class Largest {
  constructor() {
    this.chosen = null;
    this.plans = h("fieldset", { class: "segments", id: "xray-plan", hidden: true });
    this.body = h("tbody", {});
    const heads = COLUMNS.map((name) => h("th", { scope: "col", class: name }, say(`memory.table.${name}`)));
    this.table = h("table", { class: "largest" }, h("thead", {}, h("tr", {}, ...heads)), this.body);
    this.empty = h("p", { class: "empty-list" }, say("memory.table.empty"));
    const title = h("h3", { id: "xray-table-title" }, say("memory.table.title"));
    this.element = h("section", { id: "xray-table", class: "part", "aria-labelledby": title.id }, h("header", { class: "part-head" }, title, this.plans), this.empty, this.table);
    this.render([]);
  }

  render(accounts) {
    const mark = JSON.stringify(accounts.map((account) => [account.micro_batch, account.steps, account.peak_bytes, account.seconds]));
    if (mark === this.shown) return;
    this.shown = mark;
    this.accounts = accounts;
    if (!accounts.some((account) => nameOf(account) === this.chosen)) this.chosen = accounts.length ? nameOf(accounts[0]) : null;
    this.plans.hidden = accounts.length < 2;
    this.plans.replaceChildren(
      h("legend", {}, say("prove.plan")),
      ...accounts.map((account) => {
        const name = nameOf(account);
        const choose = () => {
          this.chosen = name;
          this.#fill();
        };
        return h("label", {}, h("input", { type: "radio", name: "xray-plan", value: name, checked: name === this.chosen, onchange: choose }), h("span", {}, name));
      }),
    );
    this.#fill();
  }

  #fill() {
    const account = this.accounts.find((each) => nameOf(each) === this.chosen);
    this.empty.hidden = Boolean(account);
    this.table.hidden = !account;
    this.body.replaceChildren(...(account?.largest ?? []).map(row));
  }
}

const nameOf = ({ micro_batch: rows, steps }) => planText([rows, steps]);

const row = ({ name, category, shape, dtype, bytes: size }) =>
  h(
    "tr",
    {},
    h("th", { scope: "row", class: "name" }, ...name.split(".").flatMap((part, place) => (place ? [".", h("wbr"), part] : [part]))),
    h("td", { class: "category" }, swatch(category, say(`memory.category.${category}`))),
    h("td", { class: "shape" }, shape.map(integer).join(" × ")),
    h("td", { class: "dtype" }, dtype),
    h("td", { class: "bytes" }, bytes(size)),
  );
