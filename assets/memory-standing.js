// How far a measurement has come, in words.

import { alive, dataName, waiting } from "./status.js";
import { planText } from "./plans.js";
import { integer, knows, say, told } from "./words.js";

// What `Standing` shows of the newest measurement; `reply` is undefined before the first answer.
export function standing(reply, result, what) {
  if (reply === undefined) return bare("connecting", say("memory.state.connecting"), []);
  const { run } = reply;
  if (!run) return bare("none", say("memory.state.none"), [say("memory.state.none.detail")]);
  const noneFits = run.state === "finished" && result !== null && !result.accounts.length;
  const name = noneFits ? "memory.state.none-fits" : `memory.state.${run.state}`;
  const of = wantedPlans(run);
  const done = (result?.accounts.length ?? 0) + (result?.errors.length ?? 0);
  const parts = [
    say(`memory.number.${what}`, { run: run.id }),
    ...(run.state === "queued" && run.owned ? [waiting(reply.waits_for)] : []),
    ...(alive(run) && !run.owned ? [say("prove.foreign")] : []),
    ...(run.state === "loading" && run.activity ? [say(`activity.${run.activity}`)] : []),
    ...(run.state === "running" ? [say("memory.windows", { done: integer(done), of: integer(of.length) })] : []),
    ...(run.state === "running" ? [] : [run.config.model, dataName(run.config.data), of.map(planText).join(", ")]),
  ];
  const share = run.state === "finished" ? 1 : of.length ? done / of.length : 0;
  return { state: noneFits ? "failed" : run.state, words: say(knows(name) ? name : `state.${run.state}`), parts, share, ...outcome(run) };
}

const bare = (state, words, parts) => ({ state, words, parts, share: 0, message: "", remedy: "" });

function outcome(run) {
  if (alive(run) || run.state === "finished") return { message: "", remedy: "" };
  return run.state === "failed" ? told(run) : { message: say(`memory.ended.${run.state}`), remedy: "" };
}

// The plans that were asked for; without any it is the run's own.
export function wantedPlans({ request, config }) {
  const { per_device_train_batch_size: rows = 8, gradient_accumulation_steps: steps = 1 } = config.training ?? {};
  return request.plans.length ? request.plans : [[rows, steps]];
}
