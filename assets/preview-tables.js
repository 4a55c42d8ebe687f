// The first rows as they are, and what each column could be.

import { h } from "./dom.js";
import { integer, say } from "./words.js";

export function rowTable({ columns, rows }) {
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)));
  const body = rows.map(({ place, cells }) => h("tr", { title: place }, ...cells.map(cell)));
  return section("first", h("div", { class: "preview-scroll", tabindex: "0" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...body))));
}

// `use(columns)` puts a guess into the form.
export function columnTable({ columns, looked_into: of }, use) {
  const head = ["column", "role", "values"].map((name) => h("th", { scope: "col" }, say(`preview.${name}`)));
  const body = columns.map((column) => h("tr", { class: column.role ? "taken" : null }, h("th", { scope: "row" }, column.name), h("td", {}, role(column)), h("td", {}, values(column, of))));
  const chosen = guessed(columns);
  const button = chosen && h("button", { type: "button", class: "plain", id: "preview-use", onclick: () => use(chosen) }, say("preview.use"));
  return section("columns", button, h("div", { class: "preview-scroll", tabindex: "0" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body))));
}

// The columns by role where one of them is a guess that no name makes plain; else null.
export function guessed(columns) {
  const unnamed = columns.some(({ name, role: taken, why }) => why && why !== "set" && name !== taken);
  return unnamed ? Object.fromEntries(columns.filter(({ role: taken }) => taken).map(({ role: taken, name }) => [taken, name])) : null;
}

const section = (name, ...children) => h("section", {}, h("h3", {}, say(`preview.${name}`)), ...children);

const cell = (text) => (text === null || text === "" ? h("td", { class: "nothing" }, say("preview.nothing")) : h("td", {}, text));

const role = ({ role: taken, why }) => (taken ? say(`preview.why.${why}`, { role: say(`preview.role.${taken}`) }) : "");

const values = ({ kind, distinct }, of) => `${say(`preview.kind.${kind}`)} · ${say("preview.distinct", { count: integer(distinct), of: integer(of) })}`;
