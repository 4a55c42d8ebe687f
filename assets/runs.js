// The list of runs, a page of it at a time: searched, sorted, and what is done with those that are chosen. What it shows
// stands in the address.

import { listInAddress, noteList, toTrain } from "./address.js";
import { arrange, h, setText } from "./dom.js";
import { Poll } from "./poll.js";
import { Acts } from "./runs-acts.js";
import { bringButton } from "./runs-bring.js";
import { Row } from "./runs-row.js";
import { bytes, integer, say } from "./words.js";

const LIMIT = 50;
const TYPING_MS = 250;
// each column and by what it is sorted
const COLUMNS = { run: "id", what: "model", plan: "effective_batch", state: "state", updates: "update", loss: "loss", eval: "eval_loss", size: "bytes", when: "created" };
const BY = [
  ...["id", "created", "title", "model", "data", "task", "state", "update", "loss", "eval_loss", "metric.accuracy", "learning_rate"],
  ...["micro_batch", "accumulation_steps", "effective_batch", "seed", "seconds", "total_targets", "bytes"],
];
// what one wants to see the least of first
const UPWARDS = new Set(["title", "model", "data", "task", "state", "loss", "eval_loss"]);

export function mount(element, server) {
  const list = new List(server, () => Boolean(element.offsetParent));
  element.replaceChildren(list.element);
  new IntersectionObserver((entries) => entries.at(-1).isIntersecting && list.seen()).observe(element);
  window.addEventListener("popstate", () => list.follow());
}

class List {
  constructor(server, visible) {
    Object.assign(this, { server, visible, rows: new Map(), asked: listInAddress(BY) });
    this.acts = new Acts(server, { changed: () => this.poll.now(), cleared: () => this.#mark(), all: () => this.#all(true) });
    this.search = h("input", { type: "search", id: "runs-search", placeholder: say("runs.search.hint"), autocomplete: "off", oninput: () => this.#typed() });
    this.by = h("select", { id: "runs-sort", onchange: () => this.#sort(this.by.value) }, ...BY.map((name) => h("option", { value: name }, say(`runs.by.${name.replace("metric.", "")}`))));
    this.way = h("button", { type: "button", class: "plain", id: "runs-way", onclick: () => this.#ask({ descending: !this.asked.descending, page: 1 }) });
    this.bin = h("button", { type: "button", class: "plain", id: "runs-bin", title: say("runs.bin.title"), onclick: () => this.#ask({ deleted: !this.asked.deleted, search: "", tag: null, page: 1 }) });
    this.tags = h("div", { class: "chips", role: "group", "aria-label": say("runs.tags"), hidden: true });
    this.all = h("input", { type: "checkbox", "aria-label": say("runs.select-all"), onchange: () => this.#all(this.all.checked) });
    this.heads = Object.entries(COLUMNS).map(([name, by]) => this.#head(name, by));
    this.body = h("tbody", {});
    this.table = h("table", { class: "runs" }, h("thead", {}, h("tr", {}, h("td", { class: "pick" }, this.all), ...this.heads, h("td", {}))), this.body);
    this.empty = h("p", { class: "empty-list", hidden: true });
    this.newer = h("button", { type: "button", class: "plain", onclick: () => this.#turn(-1) }, say("runs.page.newer"));
    this.older = h("button", { type: "button", class: "plain", onclick: () => this.#turn(1) }, say("runs.page.older"));
    this.place = h("span", { role: "status" });
    this.pages = h("div", { class: "runs-pages", hidden: true }, this.newer, this.place, this.older);
    this.disk = h("p", { class: "runs-disk", id: "runs-disk" });
    this.element = h(
      "div",
      { class: "runs-list" },
      h(
        "div",
        { class: "runs-tools" },
        h("label", { class: "runs-search" }, h("span", {}, say("runs.search")), this.search),
        h("label", {}, h("span", {}, say("runs.sort")), this.by),
        this.way,
        this.bin,
        ...bringButton(server, this.acts, toTrain),
      ),
      this.tags,
      this.acts.element,
      h("div", { class: "runs-scroll" }, this.table),
      this.empty,
      this.pages,
      this.disk,
    );
    this.poll = new Poll({ ask: () => this.#question(), take: (reply) => this.#take(reply), lost: () => {} });
    this.#show();
  }

  // Whoever comes back to the tab finds what was shown there.
  seen() {
    this.poll.now();
  }

  // The browser's Back, or a link within the page.
  follow() {
    if (new URL(location.href).searchParams.get("tab") !== "runs") return;
    this.asked = listInAddress(BY);
    this.#show();
    this.poll.now();
  }

  #head(name, by) {
    const button = h("button", { type: "button", onclick: () => this.#sort(by) }, say(`runs.${name}`));
    return Object.assign(h("th", { scope: "col", class: name }, button), { by });
  }

  #typed() {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.#ask({ page: 1 }), TYPING_MS);
  }

  // By another value: the way in which one mostly wants it; by the same once more: the other way.
  #sort(by) {
    this.#ask({ sort: by, descending: by === this.asked.sort ? !this.asked.descending : !UPWARDS.has(by), page: 1 });
  }

  #turn(by) {
    this.#ask({ page: Math.max(1, this.asked.page + by) });
    this.element.scrollIntoView({ block: "start" });
  }

  #ask(changes) {
    clearTimeout(this.typing);
    if ("deleted" in changes) this.acts.clear();
    // what was typed a moment ago counts, whatever is clicked then
    Object.assign(this.asked, { search: this.search.value.trim() }, changes);
    noteList(this.asked);
    this.#show();
    this.poll.now();
  }

  // What is asked for, before anything has been answered.
  #show() {
    const { search, sort, descending, deleted } = this.asked;
    if (this.search.value.trim() !== search) this.search.value = search;
    if (![...this.by.options].some((option) => option.value === sort)) this.by.append(h("option", { value: sort }, sort.replace("metric.", "")));
    this.by.value = sort;
    setText(this.way, say(descending ? "runs.sort.down" : "runs.sort.up"));
    for (const head of this.heads) {
      if (head.by === sort) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.acts.inBin(deleted);
  }

  async #question() {
    if (!this.visible()) return null;
    const { page, ...asked } = this.asked;
    const reply = await this.server.history({ ...asked, offset: (page - 1) * LIMIT, limit: LIMIT });
    return reply === undefined ? undefined : { mark: JSON.stringify(this.asked), ...JSON.parse(reply) };
  }

  #take(reply) {
    if (reply.mark !== JSON.stringify(this.asked)) return true; // something else was asked for meanwhile
    if (reply.fault) return void this.acts.tell("bad", reply.fault);
    const pages = Math.max(1, Math.ceil(reply.total / LIMIT));
    if (this.asked.page > pages) return void this.#ask({ page: pages });
    if (this.visible()) noteList(this.asked); // who has come back to the tab has an address without it
    const rows = reply.runs.map((run) => this.#row(run));
    arrange(this.body, rows.flatMap((row) => row.elements));
    const shown = new Set(reply.runs.map((run) => run.id));
    for (const id of this.rows.keys()) if (!shown.has(id)) this.rows.delete(id);
    this.#mark();
    this.#around(reply, pages);
    return false; // a list is read at leisure
  }

  #row(run) {
    if (!this.rows.has(run.id)) this.rows.set(run.id, new Row(run.id, this.server, this.acts, () => this.#mark()));
    const row = this.rows.get(run.id);
    row.render(run);
    return row;
  }

  #around({ total, tags, bin, disk }, pages) {
    const { page, search, tag, deleted } = this.asked;
    this.table.hidden = total === 0;
    this.empty.hidden = total > 0;
    this.acts.all.hidden = total === 0;
    setText(this.empty, say(search || tag !== null ? "runs.none-found" : deleted ? "runs.bin-empty" : "runs.empty"));
    this.pages.hidden = pages === 1;
    this.newer.disabled = page <= 1;
    this.older.disabled = page >= pages;
    setText(this.place, say("runs.pages", { first: integer((page - 1) * LIMIT + 1), last: integer(Math.min(total, page * LIMIT)), total: integer(total) }));
    setText(this.bin, deleted ? say("runs.back") : say("runs.bin", { count: integer(bin.runs) }));
    setText(this.disk, disk ? say("runs.disk", { whole: bytes(disk.whole), runs: bytes(disk.runs), bin: bytes(bin.bytes), database: bytes(disk.database) }) : say("runs.disk.measuring"));
    this.#chips(deleted ? {} : tags);
  }

  #chips(tags) {
    const { tag } = this.asked;
    const shown = tag !== null && !(tag in tags) && !this.asked.deleted ? { [tag]: 0, ...tags } : tags;
    const mark = JSON.stringify([shown, tag]);
    if (mark === this.chips) return;
    this.chips = mark;
    this.tags.hidden = Object.keys(shown).length === 0;
    const focused = this.tags.contains(document.activeElement) ? document.activeElement.dataset.tag : null;
    this.tags.replaceChildren(
      ...Object.entries(shown).map(([name, count]) =>
        h(
          "button",
          { type: "button", class: "toggle", "data-tag": name, "aria-pressed": String(name === tag), onclick: () => this.#ask({ tag: name === this.asked.tag ? null : name, page: 1 }) },
          say("runs.tag", { tag: name, count: integer(count) }),
        ),
      ),
    );
    [...this.tags.children].find((chip) => chip.dataset.tag === focused)?.focus();
  }

  #all(chosen) {
    for (const row of this.rows.values()) this.acts.choose(row.run, chosen);
    this.#mark();
  }

  #mark() {
    let chosen = 0;
    for (const row of this.rows.values()) chosen += row.mark();
    this.all.checked = chosen > 0 && chosen === this.rows.size;
    this.all.indeterminate = chosen > 0 && chosen < this.rows.size;
  }
}
