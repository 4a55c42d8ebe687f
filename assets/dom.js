// Builds elements. Text goes in as text nodes, never as HTML, so nothing that a user wrote can become markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Writes only what changed: a poll that brings nothing new costs no layout, and a selection survives.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Parts with dots between them, each dot on the line of the part before it: none begins a line.
export const dotted = (parts) =>
  parts.flatMap((part, index) => (index < parts.length - 1 ? [part, h("span", { class: "dot" }, " ·"), " "] : [part]));

export function setParts(element, parts) {
  if (element.textContent !== parts.join(" · ")) element.replaceChildren(...dotted(parts));
}

export function setAttribute(element, name, value) {
  if (value === null) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

// Makes `elements` the children of `parent`; what is in its place already is not touched, so that the keyboard stays there.
export function arrange(parent, elements) {
  let at = parent.firstChild;
  for (const element of elements) {
    if (at === element) at = at.nextSibling;
    else parent.insertBefore(element, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
