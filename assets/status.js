// What the run itself says: its state, its place, what is left, and the config that really runs.

import { h, setParts, setText } from "./dom.js";
import { clock, duration, integer, knows, number, say, sayCount, told } from "./words.js";

const TITLE_EVERY_MS = 3000;
const ALIVE = new Set(["queued", "loading", "running", "paused"]);

export const alive = (run) => Boolean(run) && ALIVE.has(run.state);

export class Status {
  // `acts` are the buttons and the queue; why a run has ended stands beside them, so that nothing moves.
  constructor(...acts) {
    this.state = h("strong", { class: "state" }, say("state.connecting"));
    this.place = h("span", { class: "place" });
    this.values = h("p", { class: "values" });
    this.config = h("p", { class: "really" });
    this.bar = h("span", { class: "progress-done" });
    this.progress = h("div", { class: "progress", "aria-hidden": "true" }, this.bar);
    this.message = h("div", { class: "outcome", tabindex: "0", hidden: true });
    // A voice that reads every update aloud would never be silent: it hears of states alone.
    this.aloud = h("p", { class: "aloud", role: "status" });
    this.element = h(
      "section",
      { id: "status", class: "status" },
      h("p", { class: "now" }, this.state, this.place),
      this.config,
      this.values,
      this.progress,
      h("div", { class: "acts" }, acts[0], this.message, ...acts.slice(1)),
      this.aloud,
    );
  }

  // Without a run: there is none yet, or a `fault` says why what was asked for can't be shown.
  render(run, fault = null) {
    const state = run ? run.state : fault ? "unknown" : "none";
    this.element.dataset.state = state;
    this.element.classList.remove("lost");
    setText(this.state, say(`state.${state}`));
    setText(this.aloud, run ? say("title.state", { state: say(`state.${state}`), run: run.id }) : "");
    setParts(this.place, run ? place(run) : []);
    setParts(this.values, run ? values(run) : []);
    setParts(this.config, run ? reallyRuns(run) : [fault ? Object.values(told(fault)).join(" ") : say("state.none.detail")]);
    this.bar.style.setProperty("--done", run?.plan?.updates_total ? Math.min(1, run.update / run.plan.updates_total) : 0);
    this.#outcome(run);
    if (!run) setTitle(say("app.name"));
    else if (alive(run) && run.update && run.plan) setTitle(say("title.progress", progress(run)), `${run.id} ${state}`);
    else setTitle(say("title.state", { state: say(`state.${state}`), run: run.id }));
  }

  // The program has been silent since `since`: what was known then stays, and nothing is promised.
  renderLost(run, since) {
    this.element.classList.add("lost");
    setText(this.state, say("state.lost"));
    setText(this.aloud, say("state.lost"));
    const known = run?.update && run.plan ? [say("status.last-known", progress(run))] : [];
    setParts(this.place, [say("status.silent-since", { time: clock(since) }), ...known, say("status.trying")]);
    setTitle(say("title.lost"));
  }

  #outcome(run) {
    // of a run that has done all its updates its state says all
    const { message, remedy } = run && run.code !== "run.finished" ? told(run) : { message: "", remedy: "" };
    const words = message || (run?.state === "interrupted" ? say("state.interrupted.detail") : "");
    const text = [words, remedy].join("\n");
    this.message.hidden = !words;
    if (this.told === text) return;
    this.told = text;
    this.message.replaceChildren(h("span", {}, words), " ", h("span", { class: "remedy" }, remedy));
  }
}

let titled = { at: 0, of: null };

// A title whose numbers alone have changed can wait: browsers do a lot of work at each.
function setTitle(title, of = title) {
  const now = performance.now();
  if (document.title === title || (titled.of === of && now - titled.at < TITLE_EVERY_MS)) return;
  document.title = title;
  titled = { at: now, of };
}

const progress = (run) => ({ update: integer(run.update), total: integer(run.plan?.updates_total), run: run.id });

// What is at work while something waits, by its `id` and `kind`.
export const waiting = (ahead) => say(ahead ? `status.waits-for.${ahead.kind}` : "status.queued-first", { run: ahead?.id });

function place(run) {
  const parts = [];
  if (run.state === "queued") parts.push(waiting(run.waits_for));
  else if (run.update || run.plan) {
    parts.push(run.plan ? say("status.update", progress(run)) : say("status.update-only", progress(run)));
    parts.push(say("status.epoch", { epoch: number(run.epoch, 3) }));
  }
  if (alive(run) && run.activity && run.activity !== "training") parts.push(say(`activity.${run.activity}`));
  if (run.state === "running" && Number.isFinite(run.eta)) parts.push(say("status.left", { time: duration(run.eta) }));
  if (Number.isInteger(run.checkpoint)) parts.push(say("status.checkpoint", { update: integer(run.checkpoint) }));
  if (run.deleted) parts.push(say("status.in-bin"));
  if (!alive(run) && run.seconds) parts.push(say("status.took", { time: duration(run.seconds) }));
  return parts;
}

function values(run) {
  const metrics = evaluation(run);
  return [
    ...(Number.isFinite(run.loss) ? [say("status.loss", { loss: number(run.loss) })] : []),
    ...(metrics ? [say("status.eval", { metrics })] : []),
  ];
}

// A metric of the user's own is called as it is.
export const metricName = (metric) => (knows(`metric.${metric}`) ? say(`metric.${metric}`) : metric.replaceAll("_", " "));

// “loss 1.234, accuracy 0.76”

export function evaluation(run) {
  const metrics = { ...(Number.isFinite(run.eval_loss) ? { loss: run.eval_loss } : {}), ...run.eval_metrics };
  return Object.entries(metrics).map(([name, value]) => `${metricName(name)} ${number(value)}`).join(", ");
}

export function dataName(data = {}) {
  return data.name ?? data.path ?? data.hub ?? say("amount.none");
}

// “8 × 4”, and “8 × 4 × 2” of two devices.
export function planOf(run) {
  const { micro_batch: micro, accumulation_steps: steps, count } = product(run);
  return [micro, steps, ...(count === 1 ? [] : [count])].join(" × ");
}

export function product({ config, plan }) {
  const training = config.training ?? {};
  const micro = plan?.micro_batch ?? training.per_device_train_batch_size ?? 8;
  const steps = plan?.accumulation_steps ?? training.gradient_accumulation_steps ?? 1;
  const count = plan?.processes ?? config.launch?.processes ?? 1;
  return { micro_batch: micro, accumulation_steps: steps, count, effective_batch: integer(plan?.effective_batch ?? micro * steps * count) };
}

function reallyRuns(run) {
  const { count, ...numbers } = product(run);
  const budget = run.plan?.micro_batch_tokens ?? run.config.micro_batch_tokens;
  const order = run.facts?.window_order;
  return [
    say("status.run", { run: run.id }),
    run.config.model,
    dataName(run.config.data),
    run.config.task,
    numbers.effective_batch === "1" ? say("status.product-of-one") : sayCount("status.product", count, numbers),
    say(`status.normalization.${run.config.loss_normalization ?? "exact"}`),
    ...(budget ? [say("status.budget", { tokens: integer(budget) })] : []),
    ...(run.config.packing ? [say("status.packed")] : order ? [say(`status.order.${order}`)] : []),
    ...(alive(run) && !run.owned ? [say("status.foreign")] : []),
  ];
}
