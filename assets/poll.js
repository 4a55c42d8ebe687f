// Asks the program for what is new: often while one watches a run, seldom while nothing goes on, never in a hidden tab.

const ALIVE_MS = 500;
const IDLE_MS = 2500;
const RETRY_MS = [1000, 2000, 4000, 8000];
const PATIENCE_MS = 15_000; // a program that is suspended neither answers nor refuses

export class Poll {
  // `ask()` resolves to a reply, undefined where no answer came, or null where nothing was asked; `take(reply)` returns whether to ask again soon;
  // `lost(since)` hears of each try that brought none, and when the last answer came; the next answer ends it.
  constructor({ ask, take, lost }) {
    Object.assign(this, { ask, take, lost, failures: 0, busy: false, timer: null, heard: new Date() });
    document.addEventListener("visibilitychange", () => this.now());
    window.addEventListener("online", () => this.now());
  }

  // Asks at once; while an answer is on its way, as soon as it is here.
  now() {
    clearTimeout(this.timer);
    if (this.busy) this.again = true;
    else if (!document.hidden) this.#turn();
  }

  async #turn() {
    this.busy = true;
    this.again = false;
    const reply = await patiently(this.ask());
    const pause = reply === undefined ? this.#failed() : reply === null ? IDLE_MS : this.#answered(reply);
    this.busy = false;
    if (!document.hidden) this.timer = setTimeout(() => this.#turn(), this.again ? 0 : pause);
  }

  #failed() {
    const pause = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    this.lost(this.heard);
    return pause;
  }

  #answered(reply) {
    this.failures = 0;
    this.heard = new Date();
    try {
      return this.take(reply) ? ALIVE_MS : IDLE_MS;
    } catch (error) {
      console.error(error);
      return IDLE_MS;
    }
  }
}

async function patiently(answer) {
  let timer;
  const silence = new Promise((done) => (timer = setTimeout(done, PATIENCE_MS)));
  try {
    return await Promise.race([answer, silence]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
