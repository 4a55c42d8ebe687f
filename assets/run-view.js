// One run as one watches it: its state, its window, its charts, what it noticed, and the config that it runs with.

import { Charts } from "./charts.js";
import { h, setText } from "./dom.js";
import { Lane } from "./lane.js";
import { Processes } from "./processes.js";
import { Series, TABLES } from "./series.js";
import { Status } from "./status.js";
import { onTheme } from "./theme.js";
import { Toolbar } from "./toolbar.js";
import { say, toldInFull } from "./words.js";

const MOST_POINTS = 6000; // held by the page; then the store is asked for the whole run anew, thinned
const REPLAY = "run.replay-"; // how the codes of a refused replay begin

export class RunView {
  // `acts` stand in the status, beside why the run has ended.
  constructor(player, ...acts) {
    const view = { x: "update", smooth: false, log: false };
    this.series = new Series();
    this.status = new Status(...acts);
    this.lane = new Lane();
    this.player = player;
    this.charts = new Charts(view);
    this.toolbar = new Toolbar(view, () => this.charts.drawAll());
    this.notices = h("ul", { class: "notices", hidden: true });
    this.processes = new Processes();
    this.yaml = h("pre", { tabindex: "0" });
    this.config = h("details", { class: "config", hidden: true }, h("summary", {}, say("status.config")), this.yaml);
    this.run = null;
    const parts = [this.status, this.lane, player, this.toolbar, this.charts].map((part) => part.element);
    this.element = h("div", { class: "live" }, ...parts, this.notices, this.processes.element, this.config);
    onTheme(() => this.charts.drawAll());
  }

  // From where the next answer goes on.
  get cursor() {
    return this.series.length > MOST_POINTS ? "" : this.series.cursor;
  }

  // Another run is asked for: nothing of this one may be taken for its beginning.
  clear() {
    this.series.clear();
  }

  take(reply) {
    const { run = null } = reply;
    if (run) {
      run.microBatches = reply.window.micro_batches.length;
      // each micro-batch is timed while someone watches
      run.watched = run.state === "paused" || (run.state === "running" && Number.isFinite(reply.window.micro_batches.at(-1)?.seconds));
      run.replays = this.player.film.replays;
      if (reply.reset) this.notices.replaceChildren();
      for (const notice of reply.notices) {
        if (!notice.code.startsWith(REPLAY)) this.#notice(notice);
        else if (!reply.reset) this.player.refused(notice);
      }
      this.notices.hidden = !this.notices.children.length;
      if (reply.yaml !== null) setText(this.yaml, reply.yaml);
      // the last word of a run may bring a state and no rows
      const changed = this.series.apply(reply);
      this.charts.draw(this.series, run, this.run?.state === run.state ? changed : TABLES);
      this.toolbar.thinned(reply.thinned, reply.reset);
      this.lane.render(reply.window, run);
    } else {
      this.series.clear();
      this.charts.draw(this.series, null, TABLES);
    }
    this.config.hidden = !run;
    this.processes.render(run);
    this.player.render(reply.window ?? null, run, reply.reset === true);
    this.status.render(run, reply.fault);
    this.run = run;
  }

  // The program has been silent since `since`.
  lost(since) {
    this.status.renderLost(this.run, since);
  }

  // One line a kind: a notice that counts comes again each time its count has risen.
  #notice(notice) {
    const line = h("li", { "data-code": notice.code }, toldInFull(notice));
    const before = [...this.notices.children].find((shown) => shown.dataset.code === notice.code);
    if (before) before.replaceWith(line);
    else this.notices.append(line);
  }
}
