// A link that opens what this page shows: the address, with the run that is watched and the settings of the form.

import { note } from "./address.js";
import { h, setText } from "./dom.js";
import { say } from "./words.js";

const NAME = "config";
const MOST_CODE = 4000; // letters: longer addresses are cut by mail programs and chats
const MOST_TEXT = 2 ** 16; // bytes of YAML, as many as the program reads
const COPIED_MS = 2500;

let watched = null;
window.addEventListener("birikim:now", ({ detail: { run } }) => (watched = run?.id ?? null));

// `turn` has the page call `copyLink` with what the form holds.
export function linkButton(turn) {
  return h("button", { type: "button", class: "plain small", id: "copy-link", title: say("link.title"), onclick: turn }, say("link.copy"));
}

// What was copied is said on the button and aloud; where a page may not copy, the link stands there to be copied by hand.
export function linkLine() {
  const field = h("input", { id: "link-text", type: "text", readonly: true, "aria-label": say("link.text") });
  return h("p", { class: "link-line", id: "link-line", role: "status" }, h("span", {}), field);
}

// Called with what the form holds, as `gui.written` has it; `pane` is the YAML.
export async function copyLink(pane) {
  const code = await packed(pane?.text ?? "");
  const address = new URL(location.href);
  if (watched !== null) address.searchParams.set("run", watched);
  if (code) address.searchParams.set(NAME, code);
  else address.searchParams.delete(NAME);
  let copied = true;
  try {
    await navigator.clipboard.writeText(address.href);
  } catch {
    copied = false;
  }
  tell(address.href, copied, code !== null);
}

function tell(link, copied, whole) {
  const button = document.getElementById("copy-link");
  const line = document.getElementById("link-line");
  const [words, field] = line.children;
  setText(words, [copied ? say("link.copied") : say("link.by-hand"), whole ? "" : say("link.too-long")].join(" ").trim());
  field.value = link;
  line.classList.toggle("by-hand", !copied);
  line.classList.toggle("partial", !whole);
  if (!copied) field.select();
  setText(button, say(copied ? "link.done" : "link.copy"));
  clearTimeout(tell.timer);
  if (copied) tell.timer = setTimeout(() => setText(button, say("link.copy")), COPIED_MS);
}

// The settings in the address, once the page knows which run it shows: `use` has the program check them, and shows them
// in the form. They stay in the address until something else is written.
export function followLink(use) {
  const code = new URL(location.href).searchParams.get(NAME);
  if (code === null) return;
  const heard = async () => {
    window.removeEventListener("birikim:now", heard);
    use(await unpacked(code));
  };
  window.addEventListener("birikim:now", heard);
}

export const leaveLink = () => note({ [NAME]: null });

// Text as letters that an address may hold: deflated, in base64 for addresses. Null where that is too long.
export async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text), MOST_TEXT);
  if (bytes === null || bytes.length * 4 > MOST_CODE * 3) return null;
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// The text again; null for what is none, or too much.
export async function unpacked(code) {
  if (code.length > MOST_CODE || !/^[\w-]+$/.test(code)) return null;
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const text = await through(new DecompressionStream("deflate-raw"), bytes, MOST_TEXT);
    return text && new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return null;
  }
}

// What comes out of `stream` for `bytes`; null as soon as that is more than `most`, however little went in.
async function through(stream, bytes, most) {
  const source = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await source.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await source.cancel();
      return null;
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
