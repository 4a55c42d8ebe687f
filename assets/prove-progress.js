// How far a proof has come, in words.

import { planText, samePlan } from "./plans.js";
import { alive, dataName, waiting } from "./status.js";
import { integer, knows, say, sayCount, told } from "./words.js";

// What `Standing` shows of a proof and of what it has found; `reply` has no `run` at all before the first answer.
export function standing(reply, result) {
  const { run } = reply;
  if (run === undefined) return { state: "connecting", words: say("prove.state.connecting"), parts: [], share: 0, message: "", remedy: "" };
  if (!run) return { state: "none", words: say("prove.state.none"), parts: [say("prove.state.none.detail")], share: 0, message: "", remedy: "" };
  const { message, remedy } = outcome(run);
  const name = `prove.state.${run.state}`;
  const step = run.state === "running" ? under(run, result) : { parts: [], share: run.state === "finished" ? 1 : 0 };
  const parts = [
    say("prove.number", { run: run.id }),
    ...(run.state === "queued" && run.owned ? [waiting(reply.waits_for)] : []),
    ...(alive(run) && !run.owned ? [say("prove.foreign")] : []),
    ...(run.state === "loading" && run.activity ? [say(`activity.${run.activity}`)] : []),
    ...step.parts,
    ...(step.parts.length ? [] : about(run, result)),
    ...(reply.queued ? [sayCount("prove.queued", reply.queued)] : []),
  ];
  const words = run.state === "running" ? say(`prove.state.${run.activity || "proving"}`) : say(knows(name) ? name : `state.${run.state}`);
  return { state: run.state, words, parts, share: step.share, message, remedy };
}

function outcome(run) {
  if (alive(run) || run.state === "finished") return { message: "", remedy: "" };
  return run.state === "failed" ? told(run) : { message: say(`prove.ended.${run.state}`), remedy: "" };
}

function about(run, result) {
  const proof = result?.proof;
  const names = [run.config.model, dataName(run.config.data)];
  if (!proof) return [...names, run.config.task];
  return [
    ...names,
    proof.model_class,
    say("prove.window", { rows: sayCount("prove.rows", proof.rows), targets: sayCount("window.targets", proof.targets) }),
    say("prove.on", { precision: proof.precision, device: proof.device.toUpperCase() }),
    say(`status.order.${proof.window_order}`),
  ];
}

function under(run, result) {
  if (run.activity === "training") return training(run, result);
  const plans = result?.plans ?? [];
  const ways = steps(plans, result?.proof);
  const gone = result?.proof?.ways ?? [];
  if (!gone.length) return { parts: [say("prove.now.measure")], share: 0 };
  const last = gone.at(-1);
  const done = ways.findIndex(([name, plan]) => name === last.name && samePlan(plan, last.plan)) + 1;
  const next = ways[done];
  return {
    parts: [
      say("prove.gradients", { done: integer(done), of: integer(ways.length) }),
      ...(next ? [say(`prove.now.${next[0]}`, { plan: planText(next[1]) })] : []),
    ],
    share: ways.length ? done / ways.length : 0,
  };
}

// The ways in the order in which they are gone; one that did not fit is left out of what was found, and not of these.
function steps(plans, proof) {
  if (!proof) return [];
  const large = [proof.rows, 1];
  const first = proof.reference === "large-batch" ? [["large-batch", large], ["trainer-large-batch", large]] : [];
  const each = proof.own_loss ? ["accumulated", "trainer"] : ["accumulated", "mean-of-means", "trainer"];
  return [...first, ...plans.flatMap((plan) => each.map((name) => [name, plan]))];
}

function training(run, result) {
  const curves = result?.curves ?? [];
  const updates = run.request?.updates ?? 0;
  const beside = (run.config.loss_normalization ?? "exact") === "exact" && !result?.proof?.own_loss ? 2 : 0;
  const of = (result?.plans ?? []).length + beside;
  const last = curves.at(-1);
  const done = curves.reduce((sum, curve) => sum + curve.losses.length, 0);
  return {
    parts: last
      ? [
          say("prove.curves", { curve: integer(curves.length), of: integer(of) }),
          say(`prove.now.${last.normalization}`, { plan: planText(last.plan) }),
          say("status.update", { update: integer(last.losses.length), total: integer(updates) }),
        ]
      : [say("prove.curves.first")],
    share: of && updates ? done / (of * updates) : 0,
  };
}
