// The Memory tab: what a window of the settings takes, predicted as they change, and what was measured of it.

import { h } from "./dom.js";
import { takeOver } from "./edits.js";
import { faultLines } from "./form.js";
import { Budget } from "./memory-budget.js";
import { Curve } from "./memory-curve.js";
import { Fit } from "./memory-fit.js";
import { Peak } from "./memory-peak.js";
import { Xray } from "./memory-xray.js";
import { Poll } from "./poll.js";
import { samePlan } from "./plans.js";
import { Question } from "./question.js";
import { onSettings } from "./settings.js";
import { alive } from "./status.js";
import { say, told } from "./words.js";

const PAUSE_MS = 350; // one may still be typing
const KINDS = ["xray", "trial"];

export function mount(element, server, props, trigger) {
  const held = { settings: null, wrong: null, about: null, account: null, curve: [], fault: null, working: false, asked: false };
  const measured = Object.fromEntries(KINDS.map((what) => [what, { reply: undefined, run: null, number: 0, result: null, foretold: null }]));
  let silentSince = null;
  const looking = () => element.offsetParent !== null;

  const budget = new Budget(() => ask());
  const peak = new Peak();
  const curve = new Curve();
  const fault = h("div", { id: "memory-message", class: "spoken", role: "alert", "data-tone": "bad", hidden: true });
  const xray = new Xray({ start: (plans) => measure("xray", held.settings.config, plans), stop });
  const fit = new Fit({ server, looking, use, attempt: (config) => measure("trial", config, []), stop });
  element.replaceChildren(
    h("div", { class: "live room memory" }, budget.element, fault, peak.element, h("div", { class: "findings" }, curve.element, fit.element), xray.element),
  );

  const prediction = new Question({ ask: (question) => server.predict(question), looking, heard: predicted });
  const foretold = Object.fromEntries(
    KINDS.map((what) => [what, new Question({ ask: (question) => server.predict(question), looking, heard: (reply) => foretell(what, reply) })]),
  );
  const poll = new Poll({ ask: news, take, lost });
  const look = () => [prediction, fit, ...Object.values(foretold)].forEach((each) => each.look());
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    poll.now();
    look();
  }).observe(element);
  onSettings((settings, wrong) => {
    Object.assign(held, { wrong }, settings ? { settings } : {});
    if (settings) xray.lay(settings);
    tell(null);
    ask();
  });
  render();
  poll.now();

  // ---- predictions ----

  function ask() {
    const { settings, wrong, account } = held;
    if (settings && !wrong) {
      const about = { config: settings.config, device: budget.wanted };
      if (JSON.stringify(about) !== JSON.stringify(held.about)) prediction.put({ ...about, curve: false }, account ? PAUSE_MS : 0);
      Object.assign(held, { about, working: prediction.open !== null });
      fit.put(settings, budget);
    }
    render();
  }

  function predicted(reply) {
    if (reply === undefined) return; // the poll of measurements says that the program is silent
    held.fault = reply.fault ?? (reply.state === "failed" ? reply : null);
    held.working = reply.state === "working";
    if (held.fault) Object.assign(held, { account: null, curve: [] }); // no figure of other settings stands for these
    if (reply.state === "done") {
      held.account = reply.account;
      budget.learn(reply);
      if (reply.curve.length) held.curve = reply.curve;
      else prediction.put({ ...held.about, curve: true }); // after the peak, which one sees as soon as it is there
      held.working = prediction.open !== null;
    }
    if (held.settings && !held.wrong) fit.put(held.settings, budget);
    render();
  }

  // What the config of a measurement was predicted to take, whatever the form says by now.
  function foretell(what, reply) {
    if (reply?.state !== "done") return;
    measured[what].foretold = [reply.account, ...reply.curve];
    render();
  }

  // ---- measurements ----

  async function measure(what, config, plans) {
    tell(null);
    held.asked = true;
    render();
    const answer = await server.measure({ config, what, plans }).catch(() => undefined);
    held.asked = false;
    tell(answer === undefined ? offline() : (JSON.parse(answer).fault ?? null));
    render();
    poll.now();
  }

  async function stop(run) {
    const answer = await server.command({ run, command: "stop" }).catch(() => undefined);
    tell(answer === undefined ? offline() : (JSON.parse(answer).fault ?? null));
    poll.now();
  }

  async function news() {
    if (!looking()) return null;
    const answer = await server.measured(Object.fromEntries(KINDS.map((what) => [what, measured[what].number])));
    return answer === undefined ? undefined : JSON.parse(answer);
  }

  function take(reply) {
    silentSince = null;
    if (reply.fault) {
      tell(reply.fault);
      return false;
    }
    for (const what of KINDS) hold(measured[what], reply[what], foretold[what]);
    render();
    return KINDS.some((what) => alive(reply[what].run));
  }

  function hold(place, reply, question) {
    const run = reply.run?.id ?? null;
    if (run !== place.run) {
      const stale = place.number > 0;
      Object.assign(place, { run, number: 0, result: null });
      if (stale) {
        reply.result = null; // what was asked for was the growth of another
        poll.now();
      }
    }
    place.reply = reply;
    if (reply.result) Object.assign(place, { number: reply.number, result: reply.result });
    const asks = place.result?.accounts.length && question.put({ config: reply.run.config, device: null, curve: true });
    if (asks) place.foretold = null;
  }

  function lost(since) {
    silentSince = since;
    render();
  }

  // ---- what is shown ----

  function use(config) {
    takeOver({ use: config }, props, trigger);
  }

  function render() {
    const { settings, wrong, account, working } = held;
    const stale = working || Boolean(wrong);
    peak.render({ account, budget, working: working && !wrong, stale, fault: wrong ? null : held.fault });
    const accounts = settings ? KINDS.flatMap((what) => ofTheseSettings(measured[what], settings)).filter(({ device }) => device === account?.device) : [];
    curve.render({ curve: held.curve, own: settings?.own ?? null, processes: settings?.processes ?? 1, budget: budget.bytes, accounts, stale });
    fit.element.classList.toggle("stale", Boolean(wrong));
    const refusal = why();
    for (const [view, what] of [[xray, "xray"], [fit, "trial"]]) {
      const { reply, result, foretold: peaks } = measured[what];
      view.render({ reply, result, why: refusal, lost: silentSince, predicted: (of) => peaks?.find((point) => samePlan(planOf(point), planOf(of)))?.peak_bytes });
    }
  }

  // Why nothing can be measured now; null where it can.
  function why() {
    const busy = KINDS.map((what) => measured[what].reply?.run).find(alive);
    if (silentSince) return say("button.why.offline");
    if (busy) return say("memory.why.under-way", { run: busy.id });
    if (held.asked) return say("prove.why.asked");
    return held.wrong ? told(held.wrong).message : held.settings ? null : say("memory.why.nothing");
  }

  function tell(refused) {
    fault.hidden = !refused;
    fault.replaceChildren(...(refused ? faultLines(refused) : []));
  }
}

const planOf = ({ micro_batch: rows, steps }) => [rows, steps];

const offline = () => ({ code: "button.why.offline", message: say("button.why.offline") });

// Accounts of a measurement that was made of the same settings but for the plan.
function ofTheseSettings({ reply, result }, settings) {
  const mark = (config) => {
    const { per_device_train_batch_size: rows, gradient_accumulation_steps: steps, ...training } = config.training ?? {};
    return JSON.stringify({ ...config, training: Object.fromEntries(Object.entries(training).sort()) });
  };
  return result && mark(reply.run.config) === mark(settings.config) ? result.accounts : [];
}
