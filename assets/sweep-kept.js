// What is asked of a sweep and not been started: kept in this tab, as the form is, so that a reload loses nothing.

const KEY = "birikim.sweep";

export function keep(choice) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // nothing is lost but a reload's memory
  }
}

export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}
