// What is done with the runs that are chosen: compared, deleted and brought back, and from the bin deleted for good.

import { compare } from "./address.js";
import { h, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { bytes, say, sayCount } from "./words.js";

const MOST_COMPARED = 12;

export class Acts {
  // `changed`: the list is another one now; `cleared`: no run is chosen any more; `all`: those of the page are to be.
  constructor(server, { changed, cleared, all }) {
    Object.assign(this, { server, changed, cleared, chosen: new Map(), deleted: false, busy: false });
    this.count = h("span", { class: "runs-chosen", role: "status" });
    this.compare = this.#button("compare", () => compare([...this.chosen.keys()]), say("runs.compare.title", { most: MOST_COMPARED }));
    this.delete = this.#button("delete", () => this.#delete());
    this.restore = this.#button("restore", () => this.#restore([...this.chosen.keys()]));
    this.purge = this.#button("purge", () => this.#confirm());
    this.none = h("button", { type: "button", class: "link", onclick: () => (this.clear(), cleared()) }, say("runs.choose-none"));
    this.all = h("button", { type: "button", class: "link", onclick: all }, say("runs.choose-all"));
    this.said = h("div", { class: "runs-said spoken", role: "status" });
    this.element = h("div", { class: "runs-acts" }, h("div", { class: "runs-bar" }, this.compare, this.delete, this.restore, this.purge, this.count, this.all, this.none), this.said);
    this.#render();
  }

  #button(name, act, title = say(`runs.${name}.title`)) {
    return h("button", { type: "button", class: "plain", id: `runs-${name}`, title, onclick: act }, say(`runs.${name}`));
  }

  inBin(deleted) {
    if (deleted !== this.deleted) this.#unask();
    this.deleted = deleted;
    this.#render();
  }

  holds = (id) => this.chosen.has(id);

  choose(run, yes) {
    this.#unask();
    if (yes) this.chosen.set(run.id, run);
    else this.chosen.delete(run.id);
    this.#render();
  }

  // What is known of a chosen run now.
  renew(run) {
    if (!this.chosen.has(run.id)) return;
    this.chosen.set(run.id, run);
    this.#render();
  }

  clear() {
    this.#unask();
    this.chosen.clear();
    this.#render();
  }

  // What was asked was asked of other runs.
  #unask() {
    if (this.asking) this.said.replaceChildren();
    this.asking = false;
  }

  // Says a fault, or what was done, with buttons beside it. A keyboard that was here goes to the last of them.
  tell(tone, what, ...buttons) {
    this.asking = false;
    const lost = [document.body, null].includes(document.activeElement) || this.element.contains(document.activeElement);
    this.said.dataset.tone = tone;
    this.said.replaceChildren(...(typeof what === "string" ? [h("p", {}, what, ...buttons.flatMap((button) => [" ", button]))] : faultLines(what)));
    if (lost) (buttons.at(-1) ?? this.all).focus();
  }

  // What the program answers; null where it has refused or not answered, which is said in `place`.
  async ask(what, request, place = this.said) {
    const reply = await this.server[what](request).catch(() => undefined);
    const answer = reply === undefined ? { fault: { message: say("runs.not-reached") } } : JSON.parse(reply);
    if (!answer.fault) {
      this.changed();
      return answer;
    }
    place.dataset.tone = "bad";
    place.replaceChildren(...faultLines(answer.fault));
    return null;
  }

  #render() {
    const runs = [...this.chosen.values()];
    setText(this.count, runs.length ? sayCount("runs.chosen", runs.length) : say("runs.chosen.none"));
    this.none.hidden = runs.length === 0;
    this.compare.hidden = this.delete.hidden = this.deleted;
    this.restore.hidden = this.purge.hidden = !this.deleted;
    this.compare.disabled = runs.length < 2 || runs.length > MOST_COMPARED;
    this.delete.disabled = this.restore.disabled = this.purge.disabled = runs.length === 0 || this.busy;
  }

  async #during(work) {
    this.busy = true;
    this.#render();
    const done = await work;
    this.busy = false;
    if (done) {
      this.clear();
      this.cleared();
    }
    this.#render();
    return done;
  }

  async #delete() {
    const runs = [...this.chosen.keys()];
    if (!(await this.#during(this.ask("delete_runs", { runs })))) return;
    const undo = h("button", { type: "button", class: "plain small", id: "runs-undo", onclick: () => this.#restore(runs) }, say("runs.undo"));
    this.tell("plain", sayCount("runs.deleted", runs.length), undo);
  }

  async #restore(runs) {
    if (await this.#during(this.ask("restore_runs", { runs }))) this.tell("good", sayCount("runs.restored", runs.length));
  }

  #confirm() {
    const runs = [...this.chosen.values()];
    const size = bytes(runs.reduce((sum, run) => sum + run.bytes, 0));
    const go = h("button", { type: "button", class: "plain", id: "runs-purge-yes", onclick: () => this.#purge(runs, size) }, say("runs.purge"));
    const keep = h("button", { type: "button", class: "plain", onclick: () => (this.#unask(), this.purge.focus()) }, say("runs.purge.keep"));
    this.tell("bad", sayCount("runs.purge.ask", runs.length, { size }), go, keep);
    this.asking = true;
  }

  async #purge(runs, size) {
    if (await this.#during(this.ask("purge_runs", { runs: runs.map((run) => run.id) }))) this.tell("good", sayCount("runs.purged", runs.length, { size }));
  }
}
