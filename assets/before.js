// Runs in the head, before anything is drawn: the language that this browser keeps, else the first of its own that the
// page speaks. Gradio asks the browser for the language of its labels, and hears the same.
(() => {
  const spoken = document.querySelector("meta[name=birikim-languages]").content.split(" ");
  let language = null;
  try {
    language = localStorage.getItem("birikim.language");
  } catch {
    // storage may be forbidden
  }
  if (!spoken.includes(language)) {
    const own = (navigator.languages ?? [navigator.language]).map((name) => name.toLowerCase().split("-")[0]);
    language = own.find((name) => spoken.includes(name)) ?? "en";
  }
  document.documentElement.lang = language;
  Object.defineProperties(navigator, { language: { value: language }, languages: { value: [language] } });
})();

// A page for a wall hides what acts before it is drawn.
if (new URL(location.href).searchParams.get("controls") === "off") document.documentElement.dataset.controls = "off";

// The theme that this browser keeps, else the system's.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("birikim.theme");
  } catch {
    // storage may be forbidden
  }
  theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = theme;
  // `dark` on the body is Gradio's own mark for its colours. It follows the system; ours has the last word.
  const keep = () => {
    const dark = document.documentElement.dataset.theme === "dark";
    if (document.body.classList.contains("dark") !== dark) document.body.classList.toggle("dark", dark);
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(keep).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    new MutationObserver(keep).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    keep();
  });
})();

// Gradio's loading screen leaves its clock running after it is gone: sixty wake-ups a second, for as long as the page is
// open. Its next tick is dropped, and with it the clock ends. Where it is not recognised, nothing changes.
(() => {
  const next = window.requestAnimationFrame;
  const isClock = (tick) => /performance\.now\(\)-.*\/1e3/.test(String(tick));
  window.requestAnimationFrame = (tick) => {
    if (!isClock(tick)) return next.call(window, tick);
    window.requestAnimationFrame = next;
    return 0;
  };
})();
