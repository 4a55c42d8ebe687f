// The right side of the page: one run, read from the store by a cursor, and never kept anywhere else.

import { goTo, onRun, runInAddress } from "./address.js";
import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { h, setText } from "./dom.js";
import { forget, written } from "./edits.js";
import { Exhausted } from "./exhausted.js";
import { foldForm, unfoldForm } from "./fold.js";
import { followLink, leaveLink } from "./link.js";
import { Lane } from "./lane.js";
import { Player } from "./player.js";
import { Queue } from "./queue.js";
import { Series, TABLES } from "./series.js";
import { Poll } from "./poll.js";
import { Status, alive } from "./status.js";
import { onTheme } from "./theme.js";
import { Toolbar } from "./toolbar.js";
import { say, toldInFull } from "./words.js";

const MOST_POINTS = 6000; // held by the page; then the store is asked for the whole run anew, thinned
const REPLAY = "run.replay-"; // how the codes of a refused replay begin

export function mount(element, server, watch, props, trigger) {
  const view = { x: "update", smooth: false, log: false };
  const series = new Series();
  const command = async (run, name) => {
    const answer = await (name === "resume-run" ? server.resume_run({ run }) : server.command({ run, command: name }));
    poll.now();
    return answer === undefined ? { fault: { code: "button.why.offline", message: say("button.why.offline") } } : JSON.parse(answer);
  };
  const controls = new Controls(command, (name) => player.reveal(name === "replay"));
  const queue = new Queue(command);
  const status = new Status(controls.element, queue.element);
  const lane = new Lane();
  const player = new Player({ ask: (request) => server.watched(request), buttons: controls.film });
  const charts = new Charts(view);
  const toolbar = new Toolbar(view, () => charts.drawAll());
  const looking = () => element.offsetParent !== null;
  const exhausted = new Exhausted({ server, use, looking });
  const viewing = h("div", { class: "strip viewing", hidden: true });
  const notices = h("ul", { class: "notices", hidden: true });
  const yaml = h("pre", { tabindex: "0" });
  const config = h("details", { class: "config", hidden: true }, h("summary", {}, say("status.config")), yaml);
  let last = null;

  element.replaceChildren(
    h(
      "div",
      { class: "live" },
      status.element,
      lane.element,
      player.element,
      toolbar.element,
      charts.element,
      notices,
      config,
    ),
    h("div", { class: "strips" }, exhausted.element, viewing),
  );

  const poll = new Poll({
    ask: async () => {
      const reply = await server.deltas({ run: runInAddress(), cursor: series.length > MOST_POINTS ? "" : series.cursor });
      return reply === undefined ? undefined : JSON.parse(reply);
    },
    lost: (since) => {
      status.renderLost(last?.run ?? null, since);
      controls.render(last?.run ?? null, false);
    },
    take,
  });

  function take(reply) {
    const { run = null, queue: waiting = [] } = reply;
    if (!last && alive(run)) foldForm();
    showViewing(reply);
    queue.render(waiting);
    if (run) {
      run.microBatches = reply.window.micro_batches.length;
      // each micro-batch is timed while someone watches
      run.watched = run.state === "paused" || (run.state === "running" && Number.isFinite(reply.window.micro_batches.at(-1)?.seconds));
      run.replays = player.film.replays;
      if (reply.reset) notices.replaceChildren();
      for (const notice of reply.notices) {
        if (!notice.code.startsWith(REPLAY)) showNotice(notice);
        else if (!reply.reset) player.refused(notice);
      }
      notices.hidden = !notices.children.length;
      if (reply.yaml !== null) setText(yaml, reply.yaml);
      // the last word of a run may bring a state and no rows
      const changed = series.apply(reply);
      charts.draw(series, run, last?.run?.state === run.state ? changed : TABLES);
      toolbar.thinned(reply.thinned, reply.reset);
      lane.render(reply.window, run);
    } else {
      series.clear();
      charts.draw(series, null, TABLES);
    }
    config.hidden = !run;
    player.render(reply.window ?? null, run, reply.reset === true);
    status.render(run, reply.fault);
    controls.render(run, true);
    exhausted.render(run);
    window.dispatchEvent(new CustomEvent("birikim:now", { detail: { run, current: reply.current, queue: waiting } }));
    last = reply;
    const watched = looking(); // else another tab of the page is open
    return watched && (alive(run) || waiting.length > 0);
  }

  // One line a kind: a notice that counts comes again each time its count has risen.
  function showNotice(notice) {
    const line = h("li", { "data-code": notice.code }, toldInFull(notice));
    const before = [...notices.children].find((shown) => shown.dataset.code === notice.code);
    if (before) before.replaceWith(line);
    else notices.append(line);
  }

  // At the foot of what one sees, over the charts: nothing moves when it comes and goes.
  function showViewing({ run, current, fault }) {
    const asked = runInAddress();
    const elsewhere = fault || (asked !== null && run && run.id !== current);
    viewing.hidden = !elsewhere;
    const mark = elsewhere ? [run?.id, fault?.code].join() : "";
    if (!elsewhere || viewing.dataset.of === mark) return;
    viewing.dataset.of = mark;
    const button = (name, act) => h("button", { type: "button", class: "plain small", onclick: act }, say(name));
    viewing.replaceChildren(
      h("p", {}, run ? say("status.viewing", { run: run.id }) : say("state.unknown")),
      ...(run ? [button("status.use", () => use(run.id))] : []),
      button("status.go-current", () => goTo(null)),
    );
  }

  onRun(() => {
    series.clear();
    poll.now();
  });
  onTheme(() => charts.drawAll());
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    poll.now();
    exhausted.savers.look();
  }).observe(element);
  // The settings of a run, by its number, or a config.
  const use = (settings) => ask({ use: settings });
  function ask(settings) {
    written();
    props.value = settings;
    trigger("input");
    unfoldForm();
  }

  // Start answers with the run's number: the page turns to what is current now.
  watch("value", () => {
    if (typeof props.value !== "number") return;
    forget();
    leaveLink();
    foldForm();
    goTo(null);
  });
  followLink((text) => ask({ link: text }));
  poll.now();
}
