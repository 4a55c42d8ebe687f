// The sweep: what is asked, and one study as the program has it. Nothing of it is kept in the page.

import { note, toTrain } from "./address.js";
import { h, setAttribute, setText } from "./dom.js";
import { takeOver } from "./edits.js";
import { panel } from "./explore.js";
import { unfoldForm } from "./fold.js";
import { faultLines } from "./form.js";
import { Poll } from "./poll.js";
import { Question } from "./question.js";
import { onSettings } from "./settings.js";
import { Standing } from "./standing.js";
import { SweepBest } from "./sweep-best.js";
import { SweepChoice } from "./sweep-choice.js";
import { SweepCost } from "./sweep-cost.js";
import { FieldChart } from "./sweep-field.js";
import { Importance } from "./sweep-importance.js";
import { SweepMap } from "./sweep-map.js";
import { MICRO_BATCH } from "./sweep-names.js";
import { SweepNoise } from "./sweep-noise.js";
import { Parallel } from "./sweep-parallel.js";
import { standing } from "./sweep-progress.js";
import { TrialTable } from "./sweep-table.js";
import { say } from "./words.js";

const PAUSE_MS = 400; // one may still be typing
const GIVE_UP_MS = 20_000; // a press that has shown no effect by then may be repeated

export function mount(element, server, props, trigger) {
  const held = { settings: null, wrong: null, spec: null, plan: null, reply: undefined, asked: null };
  let silentSince = null;
  const looking = () => element.offsetParent !== null;
  const inAddress = () => new URL(location.href).searchParams.get("study");

  const fault = h("div", { id: "sweep-message", class: "spoken", role: "alert", "data-tone": "bad", hidden: true });
  const choice = new SweepChoice({ asked: ask, start: (spec) => act("sweep_start", { config: held.settings.config, spec }) });
  const studies = h("select", { id: "sweep-study", "aria-label": say("sweep.which-study"), hidden: true, onchange: () => look(studies.value) });
  const stop = h("button", { type: "button", id: "sweep-stop", class: "plain", onclick: () => act("sweep_stop", { study: held.reply.state.study }) }, say("sweep.stop"));
  const goOn = h("button", { type: "button", id: "sweep-go-on", class: "plain", onclick: () => act("sweep_go_on", { study: held.reply.state.study }) }, say("sweep.go-on"));
  const standingView = new Standing("sweep-status");
  const best = new SweepBest({ use, open: toTrain });
  const field = new FieldChart(toTrain);
  const cost = new SweepCost();
  const noise = new SweepNoise();
  const parallel = new Parallel();
  const importance = new Importance();
  const map = new SweepMap();
  const table = new TrialTable(toTrain);
  const several = h("div", { class: "findings sweep-several" }, parallel.element, h("div", { class: "sweep-pair" }, importance.element, map.element));
  element.replaceChildren(
    panel(
      "sweep",
      choice.element,
      h("div", { class: "ask-acts" }, choice.start, stop, goOn),
      fault,
      h("div", { class: "sweep-standing" }, standingView.element, studies),
      best.element,
      noise.element,
      field.element,
      cost.element,
      several,
      table.element,
    ),
  );

  const presets = new Question({ ask: (question) => server.sweep_presets(question), looking, heard: settled });
  const before = new Question({ ask: (question) => server.sweep_check(question), looking, heard: reckoned });
  const poll = new Poll({ ask: news, take, lost });
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    // whoever comes back to the tab finds the sweep that was open, and so does a link
    if (held.study && !inAddress()) note({ study: held.study });
    poll.now();
    presets.look();
    before.look();
  }).observe(element);
  window.addEventListener("popstate", () => look(inAddress()));
  onSettings((settings, wrong) => {
    held.wrong = wrong;
    if (settings) {
      held.settings = settings;
      presets.put({ config: settings.config }, PAUSE_MS);
    }
    ask(held.spec);
  });
  held.study = inAddress();
  render();
  poll.now();

  // ---- what is asked ----

  function settled(reply) {
    if (reply === undefined || reply.state !== "done") return; // what is wrong with the settings is said of the plan
    choice.settle({ own: held.settings.own, processes: held.settings.processes, presets: reply.presets });
  }

  function ask(spec) {
    held.spec = spec;
    if (spec && held.settings && !held.wrong) {
      const asks = before.put({ config: held.settings.config, spec }, held.plan ? PAUSE_MS : 0);
      held.reckoning ||= asks;
    }
    tell(null);
    render();
  }

  function reckoned(reply) {
    if (reply === undefined) return; // the poll says that the program is silent
    Object.assign(held, { plan: reply, reckoning: false });
    choice.fields.mark(reply.fault?.field ?? null);
    render();
  }

  async function act(what, request) {
    held.asked = { before: mark(), until: Date.now() + GIVE_UP_MS };
    tell(null);
    render();
    const answer = await server[what](request).catch(() => undefined);
    const reply = answer === undefined ? offline() : JSON.parse(answer);
    if (reply.fault) held.asked = null;
    tell(reply.fault ?? null);
    if (reply.study) look(reply.study);
    render();
    poll.now();
  }

  // ---- what was found ----

  // Another study, by its name; null: the newest.
  function look(study) {
    held.study = study;
    if (looking()) note({ study });
    poll.now();
  }

  async function news() {
    if (!looking()) return null;
    const answer = await server.sweep_state({ study: held.study });
    return answer === undefined ? undefined : { of: held.study, ...JSON.parse(answer) };
  }

  function take(reply) {
    silentSince = null;
    if (reply.of !== held.study) {
      poll.now(); // another was chosen meanwhile
      return true;
    }
    if (reply.fault) {
      tell(reply.fault);
      if (held.study) look(null); // there is none of that name, or no more
      return false;
    }
    held.reply = reply;
    if (held.asked && held.asked.before !== mark()) held.asked = null;
    render();
    return reply.state?.state === "working" || held.asked !== null;
  }

  function lost(since) {
    silentSince = since;
    render();
  }

  // What changes when a press has taken effect.
  function mark() {
    return JSON.stringify([held.reply?.state?.study, held.reply?.state?.state]);
  }

  // The settings of a trial, in the form.
  async function use(trial) {
    const answer = await server.sweep_settings({ study: held.reply.state.study, trial }).catch(() => undefined);
    const { fault: refused = null, config } = answer === undefined ? offline() : JSON.parse(answer);
    tell(refused);
    if (refused) return;
    takeOver({ use: config }, props, trigger);
    unfoldForm();
    toTrain();
  }

  // ---- what is shown ----

  function render() {
    if (held.asked && Date.now() > held.asked.until) held.asked = null;
    const { reply, plan } = held;
    const state = reply?.state ?? null;
    choice.before.render(plan, held.reckoning === true || Boolean(held.wrong));
    choice.render(why(reply?.working ?? false));
    allow(stop, idle(state, ["working"], "sweep.why.idle"), "sweep.stop.title");
    allow(goOn, idle(state, ["stopped", "failed"], state?.state === "working" ? "sweep.why.under-way" : state ? "sweep.why.done" : "sweep.why.idle"), "sweep.go-on.title");
    if (silentSince) standingView.renderLost(silentSince);
    else standingView.render(standing(reply));
    setAttribute(standingView.element, "data-study", state?.study ?? null);
    showStudies(reply?.studies ?? [], state?.study ?? null);
    const shape = state ?? expected(held.spec); // what will appear stands there before it does
    const varied = variedBy(shape);
    const plans = plansOf(shape);
    best.render(state, varied);
    noise.render(state);
    field.element.hidden = plans;
    field.render(plans ? null : state, varied);
    cost.element.hidden = !plans;
    cost.render(plans ? state : null);
    several.hidden = varied.length < 2;
    parallel.render(state, varied);
    importance.render(state);
    map.render(state, varied);
    table.render(state, varied);
  }

  // Why none can be started now.
  function why(working) {
    if (silentSince) return say("button.why.offline");
    if (working) return say("sweep.why.under-way");
    if (held.asked) return say("sweep.why.asked");
    if (held.wrong) return say("sweep.why.wrong");
    if (!held.settings) return say("sweep.why.no-settings");
    if (held.reckoning || !held.plan) return say("sweep.why.reckoning");
    return held.plan.fault ? say("sweep.why.refused") : null;
  }

  function idle(state, states, words) {
    if (silentSince) return say("button.why.offline");
    if (!states.includes(state?.state)) return say(words);
    return held.asked ? say("sweep.why.asked") : null;
  }

  function allow(button, refusal, title) {
    button.disabled = refusal !== null;
    setAttribute(button, "title", refusal ?? say(title));
  }

  function showStudies(found, shown) {
    const mark = JSON.stringify([found, shown]);
    if (studies.dataset.mark === mark) return;
    studies.dataset.mark = mark;
    studies.hidden = found.length < 2;
    studies.replaceChildren(...found.map(({ study, state }) => h("option", { value: study, selected: study === shown }, say("sweep.study", { name: study, state: say(`sweep.state.${state}`) }))));
  }

  function tell(refused) {
    fault.hidden = !refused;
    if (refused) fault.replaceChildren(...faultLines(refused));
    else setText(fault, "");
  }
}

const offline = () => ({ fault: { code: "button.why.offline", message: say("button.why.offline") } });

// What a study of this specification will vary.
const expected = (spec) => ({
  fields: Object.fromEntries(Object.entries(spec?.fields ?? {}).map(([key, values]) => [key, Array.isArray(values) ? { values } : {}])),
  effective_batch: spec?.effective_batch ?? null,
});

// The fields that have more than one value.
const variedBy = (shape) => Object.entries(shape.fields).filter(([, space]) => !space.values || space.values.length > 1).map(([key]) => key);

// Whether the study tries plans of one effective batch: then each chart has the plans along its axis.
const plansOf = (shape) => Boolean(shape.effective_batch) && variedBy(shape).every((key) => key === MICRO_BATCH);
