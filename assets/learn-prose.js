// Turns the text of a lesson into elements; gui/text/english_prose.py says how it is marked.

import { h } from "./dom.js";

const MARKED = /(`[^`]+`|\*[^*]+\*)/;
const FORMULA = /^`([^`]+)`$/;

export const prose = (text) => text.split("\n\n").map(block);

export const marked = (text) =>
  text.split(MARKED).map((part) => {
    if (part.startsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.startsWith("*")) return h("em", {}, part.slice(1, -1));
    return part;
  });

function block(text) {
  const formula = text.match(FORMULA);
  if (formula) return h("p", { class: "formula" }, formula[1].replaceAll("-", "\u2011").replace(/ ([/·]) /g, "\u00a0$1\u00a0")); // no term of it breaks in two
  if (text.startsWith("- ")) return h("ul", {}, ...text.split("\n").map((line) => h("li", {}, ...marked(line.slice(2)))));
  return h("p", {}, ...marked(text));
}
