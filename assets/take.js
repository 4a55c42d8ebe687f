// What a run that has ended can be taken away as. A file is written when it is asked for, and then downloaded.

import { copyable } from "./copied.js";
import { h, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { alive } from "./status.js";
import { bytes, language, say } from "./words.js";

const ASK_AGAIN_MS = 700;
// the kind of the engine → the end of the button's id
const KINDS = { model: "model", adapter: "adapter", script: "script", notebook: "notebook", run: "run", yaml: "yaml", csv: "csv", parquet: "parquet", html: "report" };

export function mount(element, server) {
  const now = { run: null };
  const ways = Object.entries(KINDS).map(([kind, id]) => new Way(kind, id, server, now));
  const { line, button: copy } = copyable({ line: "take-accelerate", button: "take-copy" });
  const hub = h("p", { class: "take-hub" });
  const strip = h(
    "section",
    { class: "take", hidden: true },
    h("h3", {}, say("take.title")),
    h("div", { class: "ways" }, ...ways.map((way) => way.element)),
    h("p", { class: "take-line" }, h("span", {}, say("take.line")), line, copy),
    hub,
  );
  element.replaceChildren(strip);

  // Looked for with each word of the page's run: what was written of another is no longer offered.
  window.addEventListener("birikim:now", ({ detail: { run } }) => {
    const ended = run && run.kind === "train" && !alive(run) && run.update > 0;
    const mark = ended ? `${run.id}.${run.state}.${run.update}` : null;
    strip.hidden = !ended;
    if (mark === now.mark) return;
    Object.assign(now, { mark, run: ended ? run.id : null });
    for (const way of ways) way.clear();
    if (!ended) return;
    ways.find((way) => way.kind === "adapter").element.hidden = !run.config.lora;
    setText(hub, say("take.hub", { run: run.id }));
    tellLine(run.id);
  });

  async function tellLine(run) {
    const answer = parsed(await silently(server.launching({ run })));
    if (now.run === run && answer?.line) setText(line, answer.line);
  }
}

class Way {
  constructor(kind, id, server, now) {
    Object.assign(this, { kind, server, now });
    this.button = h("button", { type: "button", class: "plain", id: `take-${id}`, onclick: () => this.take() }, say(`take.${kind}`));
    this.told = h("p", { class: "told", role: "status" });
    this.element = h("div", { class: "way" }, this.button, h("p", { class: "about" }, say(`take.${kind}.about`)), this.told);
  }

  clear() {
    this.button.disabled = false;
    this.#tell("", "");
  }

  async take() {
    const { mark, run } = this.now;
    this.button.disabled = true;
    this.#tell("working", say("take.working"));
    let answer;
    do {
      answer = parsed(await silently(this.server.take({ run, kind: this.kind, language })));
      if (this.now.mark !== mark) return;
      if (answer?.state === "working") await new Promise((done) => setTimeout(done, ASK_AGAIN_MS));
      if (this.now.mark !== mark) return;
    } while (answer?.state === "working");
    this.button.disabled = false;
    if (answer?.state === "done") {
      this.#tell("done", say("take.done", { name: answer.name, size: bytes(answer.bytes) }));
      download(answer.address, answer.name);
    } else if (answer) this.#tell("failed", ...faultLines(answer.fault ?? answer));
    else this.#tell("failed", say("take.lost"));
  }

  #tell(state, ...said) {
    this.told.dataset.state = state;
    this.told.replaceChildren(...said);
  }
}

function download(address, name) {
  const link = h("a", { href: new URL(address, document.baseURI).href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

const parsed = (answer) => (answer === undefined ? undefined : JSON.parse(answer));

async function silently(answer) {
  try {
    return await answer;
  } catch {
    return undefined;
  }
}
