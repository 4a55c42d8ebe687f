// A run of another home: the file that was exported there, sent to the program, which looks through it before it takes it.

import { h } from "./dom.js";
import { bytes, say, uploads } from "./words.js";

const ENDING = ".birikim";

// A button, and the field behind it; `open` goes to the run once it is here.
export function bringButton(server, acts, open) {
  const input = h("input", { type: "file", accept: ENDING, class: "unseen-file", id: "runs-file", tabindex: "-1", "aria-hidden": "true", onchange: () => bring(input.files) });
  const button = h("button", { type: "button", class: "plain", id: "runs-import", title: say("runs.import.title"), onclick: () => input.click() }, say("runs.import"));

  async function bring([file]) {
    input.value = "";
    if (!file || button.disabled) return;
    if (file.size > uploads.most_bytes) return void acts.tell("bad", { code: "import.too-large", values: { file: file.name, what: bytes(file.size) } });
    button.disabled = true;
    acts.tell("plain", say("runs.importing", { file: file.name }));
    const arrived = await send(file);
    const answer = arrived && (await acts.ask("bring_run", { arrived, name: file.name }));
    button.disabled = false;
    if (!arrived) acts.tell("bad", { message: say("runs.not-reached") });
    if (!answer) return;
    const link = h("button", { type: "button", class: "link", onclick: () => open(answer.run) }, say("runs.import.open", { run: answer.run }));
    acts.tell("good", say("runs.imported", { file: file.name, run: answer.run }), link);
  }

  return [button, input];
}

// Where the program has put the file; null where it could not be sent.
async function send(file) {
  const body = new FormData();
  body.append("files", file, file.name);
  try {
    const reply = await fetch(new URL("gradio_api/upload", document.baseURI), { method: "POST", body });
    return reply.ok ? (await reply.json())[0] : null;
  } catch {
    return null;
  }
}
