// Rows as the model reads them, token by token; what the loss compares with is coloured and underlined.

import { h } from "./dom.js";
import { integer, say } from "./words.js";

export function exampleList(examples) {
  if (!examples.length) return [];
  const marked = examples.some(({ parts }) => parts.some(({ tokens }) => tokens.some(({ target }) => target)));
  return [
    h("h3", {}, say("preview.examples")),
    ...(marked ? [h("p", { class: "preview-key" }, h("span", { class: "target" }, say("preview.examples.key")))] : []),
    h("ol", {}, ...examples.map((example) => h("li", {}, ...lines(example)))),
  ];
}

function lines({ parts, label, tokens }) {
  const names = parts.length > 1 ? ["source", "target"] : [];
  return [
    ...parts.map((part, place) => line(part, names[place])),
    h("p", { class: "about" }, [say("preview.examples.tokens", { count: integer(tokens) }), ...(label === null ? [] : [say("preview.examples.no-token", { label })])].join(" · ")),
  ];
}

function line({ tokens, more }, name) {
  return h(
    "p",
    { class: "decoded" },
    ...(name ? [h("span", { class: "about" }, `${say(`preview.examples.${name}`)}: `)] : []),
    ...tokens.map(token),
    ...(more ? [h("span", { class: "about" }, ` ${say("preview.examples.more", { count: integer(more) })}`)] : []),
  );
}

const token = ({ text, target, tag }) => h(target ? "mark" : "span", { class: target ? "token target" : "token", title: tag ?? null }, text, tag ? h("sub", {}, tag) : null);
