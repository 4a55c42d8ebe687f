// A line of code that one may want elsewhere, and a button that copies it.

import { h, setText } from "./dom.js";
import { say } from "./words.js";

const COPIED_MS = 2000;

// `names`: the ids of the line and of its button.
export function copyable(names) {
  const line = h("code", { id: names.line, tabindex: "0" });
  const button = h("button", { type: "button", class: "plain small", id: names.button, onclick: copy }, say("take.copy"));

  async function copy() {
    try {
      await navigator.clipboard.writeText(line.textContent);
    } catch {
      // no clipboard without a secure address: marked, it can be copied by hand
      getSelection().selectAllChildren(line);
      return;
    }
    setText(button, say("take.copied"));
    setTimeout(() => setText(button, say("take.copy")), COPIED_MS);
  }

  return { line, button };
}
