// What the server says about the form: phrases by name and value, spoken here in the page's language.

import { h } from "./dom.js";
import { integer, knows, number, say, told } from "./words.js";

// The value is a list of phrases [{name, values}], each a sentence part; `tone` colours the whole.
export function speak(element, props, watch) {
  const render = () => {
    const { phrases = [], tone = "plain", fault = null, field = null, fold = null } = props.value ?? {};
    if (tone !== "quiet") mark(field, fold);
    element.dataset.tone = tone;
    if (fault) {
      element.replaceChildren(...faultLines(fault, field));
    } else {
      element.replaceChildren(...phrases.map((line) => h("p", {}, line.map(phrase).join(" · "))));
    }
  };
  watch("value", render);
  render();
}

// A fault and what to do about it. On the page a setting goes by the name that its field has there.
export function faultLines(fault, field) {
  const { message, remedy } = told(fault);
  const named = field && field !== "yaml" && knows(`form.${field}`) ? message.replaceAll(`“${fault.field}”`, `“${say(`form.${field}`)}”`) : message;
  return [h("p", {}, named), ...(remedy ? [h("p", { class: "remedy" }, remedy)] : [])];
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
