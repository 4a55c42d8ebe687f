// The Memory tab: what a window of the settings takes, predicted as they change, and what was measured of it.

import { h } from "./dom.js";
import { Budget } from "./memory-budget.js";
import { Curve } from "./memory-curve.js";
import { Peak } from "./memory-peak.js";
import { Question } from "./question.js";
import { onSettings } from "./settings.js";
import { say } from "./words.js";

const PAUSE_MS = 350; // one may still be typing
const OFFLINE = { code: "button.why.offline" };

export function mount(element, server, props, trigger) {
  const held = { settings: null, wrong: null, account: null, curve: [], fault: null, working: false };
  const looking = () => element.offsetParent !== null;

  const budget = new Budget(() => ask());
  const peak = new Peak();
  const curve = new Curve();
  element.replaceChildren(
    h("div", { class: "live room memory" }, budget.element, peak.element, h("div", { class: "findings" }, curve.element)),
  );

  const prediction = new Question({ ask: (question) => server.predict(question), looking, heard: predicted, pause: PAUSE_MS });
  new IntersectionObserver(([entry]) => entry.isIntersecting && prediction.look()).observe(element);
  onSettings((settings, wrong) => {
    Object.assign(held, { wrong }, settings ? { settings } : {});
    ask();
  });
  render();

  // The peak first, the curve after it: one sees the figure as soon as it is there.
  function ask(withCurve = false) {
    const { settings, wrong } = held;
    if (settings && !wrong) {
      prediction.put({ config: settings.config, device: budget.wanted, curve: withCurve });
      held.working = prediction.open !== null;
    }
    render();
  }

  function predicted(reply) {
    held.fault = reply === undefined ? { ...OFFLINE, message: say(OFFLINE.code) } : (reply.fault ?? (reply.state === "failed" ? reply : null));
    held.working = reply?.state === "working";
    if (reply?.state === "done") {
      held.account = reply.account;
      budget.learn(reply);
      if (reply.curve.length) held.curve = reply.curve;
      else return ask(true);
    }
    render();
  }

  function render() {
    const { settings, wrong, account, fault, working } = held;
    peak.render({ account, budget, working: working && !wrong, fault: wrong ? null : fault });
    curve.render({ curve: held.curve, own: settings?.own ?? null, budget: budget.bytes, accounts: [], stale: working });
  }
}
