// Where the user wrote last, in the form's fields or in its YAML: Start runs that. Noted as it happens, in the browser,
// since any message to the program and back could come too late.

export function noteWriting(form) {
  const inText = (event) => event.target.closest("#yaml") !== null;
  const note = (event) => (form.dataset.wrote = inText(event) ? "yaml" : "form");
  form.addEventListener("input", note, true);
  // A choice from a list is no input to the browser
  form.addEventListener("pointerdown", (event) => event.target.closest("[role=option]") && note(event), true);
  form.addEventListener("keydown", (event) => event.key === "Enter" && !inText(event) && note(event), true);
}
