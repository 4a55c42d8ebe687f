// A file from this browser: sent to the program's own folder, and then named as the data.

import { h, setText } from "./dom.js";
import { takeOver } from "./edits.js";
import { faultLines } from "./form.js";
import { bytes, inPercent, say, uploads } from "./words.js";

export function mount(element, server, props, trigger) {
  const input = h("input", { type: "file", accept: ENDINGS.join(), class: "unseen-file", tabindex: "-1", "aria-hidden": "true", onchange: () => chosen(input.files) });
  const button = h("button", { type: "button", class: "plain", onclick: () => input.click() }, say("upload.choose"));
  const hint = h("small", {}, say("upload.hint", { amount: bytes(uploads.most_bytes) }));
  const cancel = h("button", { type: "button", class: "plain", hidden: true, onclick: () => request?.abort() }, say("upload.cancel"));
  const bar = h("progress", { max: "1", value: "0", hidden: true });
  const status = h("div", { class: "spoken", role: "status" });
  let request = null;
  const box = h("div", { class: "upload" }, h("div", { class: "upload-row" }, button, hint, cancel), bar, status, input);
  element.replaceChildren(box);

  for (const name of ["dragover", "drop"])
    box.addEventListener(name, (event) => {
      event.preventDefault();
      if (name === "drop") chosen(event.dataTransfer.files);
    });

  async function chosen([file]) {
    if (!file || request) return;
    input.value = "";
    if (file.size > uploads.most_bytes) return tell(fault("upload.too-large", { file: file.name, gib: uploads.most_bytes / 2 ** 30 }));
    if (!ENDINGS.some((ending) => file.name.toLowerCase().endsWith(ending)))
      return tell(fault("upload.ending", { file: file.name, known: ENDINGS.join(", ") }));
    busy(true);
    try {
      const arrived = await send(file);
      const answer = JSON.parse(await server.take({ arrived, name: file.name }));
      if (answer.fault) tell(answer.fault);
      else name(answer.path, answer.path.split(/[\\/]/).at(-1));
    } catch (error) {
      if (error) tell(fault("upload.failed", { file: file.name }));
      else setText(status, "");
    } finally {
      busy(false);
    }
  }

  // Resolves to where the program has put it; rejects with null where it was cancelled.
  function send(file) {
    return new Promise((resolve, reject) => {
      const body = new FormData();
      body.append("files", file, file.name);
      request = new XMLHttpRequest();
      request.upload.onprogress = ({ loaded, total }) => {
        bar.value = total ? loaded / total : 0;
        status.dataset.tone = "plain";
        setText(status, say("upload.under-way", { file: file.name, share: inPercent(Math.floor((100 * loaded) / (total || 1))) }));
      };
      request.onload = () => (request.status === 200 ? resolve(JSON.parse(request.responseText)[0]) : reject(new Error(String(request.status))));
      request.onerror = () => reject(new Error("network"));
      request.onabort = () => reject(null);
      request.open("POST", new URL("gradio_api/upload", document.baseURI));
      request.send(body);
    });
  }

  function name(path, shown) {
    takeOver({ path }, props, trigger);
    status.dataset.tone = "good";
    status.replaceChildren(h("p", {}, say("upload.done", { file: shown })));
    openPreview();
  }

  function busy(yes) {
    if (!yes) request = null;
    button.disabled = yes;
    bar.hidden = cancel.hidden = !yes;
    hint.hidden = yes;
  }

  function tell(refused) {
    status.dataset.tone = "bad";
    status.replaceChildren(...faultLines(refused));
  }
}

const ENDINGS = [".csv", ".tsv", ".json", ".jsonl", ".parquet", ".txt"];

const fault = (code, values) => ({ code, values });

// What has arrived is looked at at once.
function openPreview() {
  const fold = document.querySelector("#preview-fold > button");
  if (fold && !document.getElementById("preview")?.offsetParent) fold.click();
}
