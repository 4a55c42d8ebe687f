// Runs in the head, before anything is drawn: the theme that this browser keeps, else the system's.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("birikim.theme");
  } catch {
    // storage may be forbidden
  }
  theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  document.body?.classList.toggle("dark", theme === "dark");
})();
