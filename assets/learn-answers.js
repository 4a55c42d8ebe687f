// The answers that were chosen here, by lesson: kept in the browser, for they are nobody else's.

const KEY = "birikim.answers";

export function answers() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

// `answer` is a number from 1, or null to forget it; `done`: its experiment has answered it.
export function keepAnswer(lesson, answer, done = false) {
  const kept = answers();
  if (answer === null) delete kept[lesson];
  else kept[lesson] = { answer, done };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // storage may be forbidden
  }
  return kept;
}
