// Of a run of several processes: the command line that started them, and the peak memory of each.

import { copyable } from "./copied.js";
import { h, setText } from "./dom.js";
import { bytes, integer, say } from "./words.js";

const COLUMNS = ["rank", "device", "peak"];

export class Processes {
  constructor() {
    const { line, button } = copyable({ line: "processes-command", button: "processes-copy" });
    this.line = line;
    this.command = h("p", { class: "command-line", hidden: true }, h("span", {}, say("processes.command")), line, button);
    this.body = h("tbody", {});
    const heads = COLUMNS.map((name) => h("th", { scope: "col", class: name }, say(`processes.${name}`)));
    this.table = h("table", { id: "processes-ranks", hidden: true }, h("caption", {}, say("processes.title")), h("thead", {}, h("tr", {}, ...heads)), this.body);
    this.element = h("section", { id: "run-processes", class: "processes", hidden: true }, this.command, this.table);
  }

  // What each has taken may be known at the end alone.
  render(run) {
    const { command = null, ranks = null } = run?.facts ?? {};
    const mark = JSON.stringify([command, ranks]);
    if (mark === this.shown) return;
    this.shown = mark;
    this.element.hidden = !command && !ranks?.length;
    this.command.hidden = !command;
    setText(this.line, command ?? "");
    this.table.hidden = !ranks?.length;
    this.body.replaceChildren(...(ranks ?? []).map(row));
  }
}

const row = ({ rank, device, peak_bytes: peak }) =>
  h("tr", {}, h("th", { scope: "row", class: "rank" }, integer(rank)), h("td", { class: "device" }, device ?? say("amount.none")), h("td", { class: "peak" }, bytes(peak)));
