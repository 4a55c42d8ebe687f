// How an answer of a model is shown: a text, classes with their probabilities, tags over words, fillings of a gap.

import { h } from "./dom.js";
import { number, percent, say } from "./words.js";

const OUTSIDE = "O";

// `said` {got, right, scores} of `text` {kind, given, wanted}; what differs from `before`, an earlier `got`, is marked.
export function answerParts(text, said, before = said.got) {
  switch (text.kind) {
    case "text":
      return marked(words(said.got || say("sample.empty")), words(before || say("sample.empty")));
    case "tags":
      return tagged(text, said, before);
    case "masks":
      return said.got.map((name, place) => changed(`${name} ${percent(said.scores[place]?.score)}`, name !== before[place], place));
    case "classes":
      return [changed(said.got.join(", ") || say("sample.nothing"), said.got.join() !== before.join())];
    case "number":
      return [changed(number(said.got), said.got !== before)];
    default:
      return [changed(said.got, said.got !== before)];
  }
}

// What is right, in words; null where nobody knows, or where the answer itself shows it.
export function wantedText({ kind, wanted }) {
  if (wanted === null || kind === "tags") return null;
  if (kind === "number") return number(wanted);
  return Array.isArray(wanted) ? wanted.join(", ") || say("sample.nothing") : wanted;
}

// `good`, `bad` or `hold`, and the same in a word; null where there is nothing to be right about.
export function verdict({ right }) {
  if (!right.length) return null;
  const hits = right.filter(Boolean).length;
  if (hits === right.length) return { tone: "good", sign: "✓", words: say("sample.right") };
  if (!hits) return { tone: "bad", sign: "✗", words: say("sample.wrong") };
  return { tone: "hold", sign: "◐", words: say("sample.partly", { right: hits, of: right.length }) };
}

export const bars = (scores, most) =>
  h(
    "ul",
    { class: "chances" },
    ...scores.slice(0, most).map(({ name, score }) =>
      h(
        "li",
        {},
        h("span", { class: "name", title: name }, name),
        h("span", { class: "chance", "aria-hidden": "true" }, h("span", { style: `width: ${100 * score}%` })),
        h("span", { class: "amount" }, percent(score)),
      ),
    ),
  );

// A word with its tag beneath; words outside of everything have none.
export const taggedWord = (word, tag, { wrong = null, mark = false, title = null } = {}) =>
  h("span", { class: "tagged", "data-wrong": wrong !== null, title }, mark ? h("mark", {}, word) : word, tag !== OUTSIDE || wrong ? h("small", {}, wrong ?? tag) : null);

function tagged({ given, wanted }, { got, right }, before) {
  return given.split(" ").map((word, place) => {
    const wrong = right[place] === false ? say("sample.not", { got: got[place], wanted: wanted[place] }) : null;
    return taggedWord(word, got[place], { wrong, mark: got[place] !== before[place] });
  });
}

function changed(text, is, place = 0) {
  return h("span", { class: "piece", "data-place": place }, is ? h("mark", {}, text) : text);
}

const words = (text) => text.split(/(\s+)/);

// The words of `now`, those marked that a longest common run of words with `before` leaves out.
function marked(now, before) {
  const lengths = Array.from({ length: now.length + 1 }, () => new Uint16Array(before.length + 1));
  for (let i = now.length - 1; i >= 0; i -= 1)
    for (let j = before.length - 1; j >= 0; j -= 1)
      lengths[i][j] = now[i] === before[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const parts = [];
  let j = 0;
  now.forEach((word, i) => {
    while (j < before.length && before[j] !== word && lengths[i][j + 1] > lengths[i + 1][j]) j += 1;
    const same = j < before.length && before[j] === word;
    if (same) j += 1;
    parts.push(same || !word.trim() ? word : h("mark", {}, word));
  });
  return parts;
}
