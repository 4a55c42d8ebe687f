// The Prove tab: what is asked, and the newest proof as the store has it. Nothing of it is kept in the page.

import { h, setText } from "./dom.js";
import { faultLines } from "./form.js";
import { Poll } from "./poll.js";
import { Choice } from "./prove-choice.js";
import { Curves } from "./prove-curves.js";
import { Heads } from "./prove-heads.js";
import { Layers } from "./prove-layers.js";
import { standing } from "./prove-progress.js";
import { Table } from "./prove-table.js";
import { Verdict } from "./prove-verdict.js";
import { Standing } from "./standing.js";
import { alive } from "./status.js";
import { say, toldInFull } from "./words.js";

const HOW = ["rows", "dropout", "measure", "ways", "error", "untouched"];

export function mount(element, server, props, trigger, watch) {
  const held = { run: null, number: 0, result: null, selected: null };
  let last = {};
  let silentSince = null;

  const fault = h("div", { id: "prove-message", class: "spoken", role: "alert", "data-tone": "bad", hidden: true });
  const choice = new Choice({
    moved: () => show(null),
    start: (request) => {
      show(null);
      props.value = request;
      trigger("submit");
    },
    stop: async () => {
      const answer = (await server.command({ run: last.run.id, command: "stop" })) ?? null;
      const fault = answer === null ? { code: "button.why.offline", message: say("button.why.offline") } : JSON.parse(answer).fault;
      show(fault ?? null);
      poll.now();
    },
  });
  const standingView = new Standing("prove-status");
  const verdict = new Verdict();
  const table = new Table((plan) => {
    held.selected = plan;
    render();
  });
  const layers = new Layers();
  const curves = new Curves();
  const notices = h("ul", { class: "notices", hidden: true });
  const heads = new Heads(server);
  const how = h("details", { id: "prove-how", class: "part" }, h("summary", {}, say("prove.how.title")), h("ul", {}, ...HOW.map((name) => h("li", {}, say(`prove.how.${name}`)))));

  element.replaceChildren(
    h(
      "div",
      { class: "live room prove" },
      choice.element,
      fault,
      standingView.element,
      verdict.element,
      h("div", { class: "findings" }, table.element, layers.element, curves.element),
      notices,
      how,
      heads.element,
    ),
  );

  const poll = new Poll({ ask, take, lost });
  new IntersectionObserver(([entry]) => entry.isIntersecting && poll.now()).observe(element);
  watch("value", () => {
    const { fault: refused, proof } = props.value ?? {};
    if (!refused && !proof) return; // the request on its way
    choice.answered();
    show(refused ?? null);
    choice.render(going(), true);
    poll.now();
  });
  render();
  poll.now();

  async function ask() {
    if (!element.offsetParent) return null;
    const answer = await server.proof({ run: null, after: held.number });
    return answer === undefined ? undefined : JSON.parse(answer);
  }

  function take(reply) {
    silentSince = null;
    if (reply.fault) {
      show(reply.fault);
      return false;
    }
    last = reply;
    const run = reply.run?.id ?? null;
    if (run !== held.run) {
      const stale = held.number > 0;
      Object.assign(held, { run, number: 0, result: null, selected: null });
      if (stale) poll.now(); // what was asked for was the growth of another
      if (stale) reply.result = null;
    }
    if (reply.result) Object.assign(held, { number: reply.number, result: reply.result });
    render();
    return alive(reply.run) || reply.queued > 0;
  }

  function lost(since) {
    silentSince = since;
    render();
  }

  function going() {
    return alive(last.run) ? last.run : null;
  }

  function render() {
    const { run } = last;
    const { result } = held;
    const normalization = run?.config.loss_normalization ?? "exact";
    held.selected ??= result?.plans[0] ?? null;
    choice.render(going(), !silentSince);
    if (silentSince) standingView.renderLost(silentSince);
    else standingView.render(standing(last, result));
    verdict.render(result?.verdict ?? [], run === undefined ? "" : say(alive(run) ? "prove.verdict.awaited" : "prove.verdict.empty"));
    table.render(result?.proof ? result : null, held.selected, !alive(run) || run?.activity === "training", normalization);
    layers.render(result?.proof ?? null, held.selected);
    curves.render(result?.curves ?? [], normalization);
    showNotices(last.notices ?? []);
  }

  function showNotices(found) {
    const words = found.map((notice) => toldInFull(notice));
    if (notices.dataset.words === words.join("\n")) return;
    notices.dataset.words = words.join("\n");
    notices.replaceChildren(...words.map((text) => h("li", {}, text)));
    notices.hidden = !words.length;
  }

  function show(refused) {
    fault.hidden = !refused;
    if (refused) fault.replaceChildren(...faultLines(refused));
    else setText(fault, "");
  }
}
