// What one tab of the browser keeps over a reload. Storage may be forbidden: nothing is lost then but that.

export const inTab = (key) => ({
  keep(value) {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // a reload forgets
    }
  },
  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  },
  forget() {
    try {
      sessionStorage.removeItem(key);
    } catch {
      // there was nothing to forget
    }
  },
});
