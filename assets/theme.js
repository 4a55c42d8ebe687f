// Light or dark: as the system says, until a click says otherwise; that choice is kept in this browser.

import { h, setText } from "./dom.js";
import { say } from "./words.js";

const KEY = "birikim.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

// Storage may be forbidden; then the choice lasts as long as the page.
function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // nothing is lost but the memory of a click
  }
}

const wanted = () => kept() ?? (system.matches ? "dark" : "light");

function apply(theme) {
  document.documentElement.dataset.theme = theme; // before.js keeps Gradio's mark in step
  for (const changed of listeners) changed(theme);
}

export const onTheme = (changed) => listeners.add(changed);

export function themeButton() {
  const button = h("button", { type: "button", class: "plain small", id: "theme", title: say("theme.title") });
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    keep(theme);
    apply(theme);
  });
  onTheme((theme) => setText(button, say(theme === "dark" ? "theme.to-light" : "theme.to-dark")));
  apply(wanted());
  system.addEventListener("change", () => apply(wanted()));
  return button;
}
