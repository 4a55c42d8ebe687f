// Turkish or English: as the browser prefers, until a click says otherwise; that choice is kept in this browser. Every
// text of the page is made anew in it, and nothing that was written in the form is lost.

import { h } from "./dom.js";
import { language, languages, say } from "./words.js";

const KEY = "birikim.language";

// `turn` loads the page anew.
export function languageButtons(turn) {
  const choose = (name) => {
    if (name === language) return;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      return; // the page could not know it after the reload
    }
    turn();
  };
  const button = (name) =>
    h(
      "button",
      { type: "button", id: `language-${name}`, lang: name, title: called(name), "aria-label": called(name), "aria-pressed": String(name === language), onclick: () => choose(name) },
      name.toUpperCase(),
    );
  return h("div", { class: "languages", role: "group", "aria-label": say("language.title") }, ...[...languages].reverse().map(button));
}

// A language is called as it calls itself.
const called = (name) => new Intl.DisplayNames(name, { type: "language" }).of(name);
