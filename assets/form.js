// What the server says about the form: phrases by name and value, spoken here in the page's language.

import { dotted, h } from "./dom.js";
import { alive } from "./status.js";
import { integer, number, say, told } from "./words.js";

// The value is a list of phrases [{name, values}], each a sentence part; `tone` colours the whole, `at` is the writing
// that it answers.
export function speak(element, props, watch) {
  let shown = 0;
  const render = () => {
    const { at = shown } = props.value ?? {};
    if (at < shown) return; // about what has been written over meanwhile
    shown = at;
    const { phrases = [], tone = "plain", fault = null, field = null, fold = null } = props.value ?? {};
    if (tone !== "quiet") mark(field, fold);
    element.dataset.tone = tone;
    if (fault) {
      element.replaceChildren(...lines(phrases), ...faultLines(fault));
    } else {
      element.replaceChildren(...lines(phrases));
    }
  };
  watch("value", render);
  render();
  return render;
}

// What Start has answered stands for as long as it is true: until something else is written, or the run has gone on.
export function answer(element, props, watch) {
  const render = speak(element, props, watch);
  let seen = false;
  const clear = () => {
    if (!element.hasChildNodes()) return;
    props.value = {};
    render();
  };
  watch("value", () => (seen = false));
  document.getElementById("form").addEventListener("birikim:written", clear);
  window.addEventListener("birikim:now", ({ detail: { run, current, queue } }) => {
    const [[said]] = props.value?.phrases ?? [[]];
    if (!said?.values.run) return;
    const about = said.values.run;
    const ended = run?.id === about && !alive(run);
    const waits = queue.some((waiting) => waiting.id === about) || (run?.id === about && run.state === "queued");
    const holds = said.name === "message.queued" ? waits : current === about && !ended;
    if (!holds && (seen || ended)) clear();
    seen ||= holds;
  });
}

const lines = (phrases) => phrases.map((line) => h("p", {}, ...dotted(line.map(phrase))));

// A fault and what to do about it.
export function faultLines(fault) {
  const { message, remedy } = told(fault);
  return [h("p", {}, message), ...(remedy ? [h("p", { class: "remedy" }, remedy)] : [])];
}

function phrase({ name, values = {} }) {
  const words = Object.entries(values).map(([key, value]) => [key, typeof value === "number" ? figure(value) : value]);
  return say(name, Object.fromEntries(words));
}

const figure = (value) => (Number.isInteger(value) ? integer(value) : number(value, 3));

// Marks the one field that a message is about, and takes the mark off the others. A fold makes its fields when it opens.
function mark(field, fold) {
  for (const wrong of document.querySelectorAll(".wrong")) {
    wrong.classList.remove("wrong");
    for (const input of wrong.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  }
  if (!field) return;
  if (fold && !document.getElementById(field)?.offsetParent) document.querySelector(`#${fold} > button`).click();
  requestAnimationFrame(() => {
    const element = document.getElementById(field);
    element?.classList.add("wrong");
    for (const input of element?.querySelectorAll("input, textarea") ?? []) input.setAttribute("aria-invalid", "true");
  });
}
