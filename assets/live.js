// The right side of the page: one run, read from the store by a cursor, and never kept anywhere else.

import { goTo, onRun, runInAddress } from "./address.js";
import { Controls } from "./controls.js";
import { h } from "./dom.js";
import { forget, written } from "./edits.js";
import { Exhausted } from "./exhausted.js";
import { foldForm, unfoldForm } from "./fold.js";
import { followLink, leaveLink } from "./link.js";
import { Player } from "./player.js";
import { Queue } from "./queue.js";
import { Poll } from "./poll.js";
import { RunView } from "./run-view.js";
import { alive } from "./status.js";
import { say } from "./words.js";

export function mount(element, server, watch, props, trigger) {
  const command = async (run, name) => {
    const answer = await (name === "resume-run" ? server.resume_run({ run }) : server.command({ run, command: name }));
    poll.now();
    return answer === undefined ? { fault: { code: "button.why.offline", message: say("button.why.offline") } } : JSON.parse(answer);
  };
  const controls = new Controls(command, (name) => player.reveal(name === "replay"));
  const queue = new Queue(command);
  const player = new Player({ ask: (request) => server.watched(request), buttons: controls.film });
  const view = new RunView(player, controls.element, queue.element);
  const looking = () => element.offsetParent !== null;
  const exhausted = new Exhausted({ server, use, looking });
  const viewing = h("div", { class: "strip viewing", hidden: true });
  let heard = false;

  element.replaceChildren(view.element, h("div", { class: "strips" }, exhausted.element, viewing));

  const poll = new Poll({
    ask: async () => {
      const reply = await server.deltas({ run: runInAddress(), cursor: view.cursor });
      return reply === undefined ? undefined : JSON.parse(reply);
    },
    lost: (since) => {
      view.lost(since);
      controls.render(view.run, false);
    },
    take,
  });

  function take(reply) {
    const { run = null, queue: waiting = [] } = reply;
    if (!heard && alive(run)) foldForm();
    heard = true;
    showViewing(reply);
    queue.render(waiting);
    view.take(reply);
    controls.render(run, true);
    exhausted.render(run);
    window.dispatchEvent(new CustomEvent("birikim:now", { detail: { run, current: reply.current, queue: waiting } }));
    const watched = looking(); // else another tab of the page is open
    return watched && (alive(run) || waiting.length > 0);
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
    view.clear();
    poll.now();
  });
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    poll.now();
    exhausted.savers.look();
  }).observe(element);
  // The settings of a run, by its number, or a config.
  function use(settings) {
    leaveLink();
    ask({ use: settings });
  }
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
