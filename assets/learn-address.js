// Which lesson is open stands in the address (`?lesson=why`), so that a link or a reload opens it again.

const PARAMETER = "lesson";

export const lessonInAddress = () => new URL(location.href).searchParams.get(PARAMETER);

export function addressOfLesson(name) {
  const address = new URL(location.href);
  address.searchParams.set("tab", "learn");
  address.searchParams.set(PARAMETER, name);
  return address.href;
}

export function goToLesson(name) {
  const address = addressOfLesson(name);
  if (address !== location.href) history.pushState(null, "", address);
}

// Calls back when the browser goes back or forward to another lesson.
export const onLesson = (changed) => window.addEventListener("popstate", changed);
