// Runs in the head, after Gradio's config and before its page: the edits that this tab holds stand in the form from the
// start. `edits.js` keeps them.
(() => {
  let edits = null;
  try {
    edits = JSON.parse(sessionStorage.getItem("birikim.edits"));
  } catch {
    // storage may be forbidden
  }
  if (!edits) return;
  document.documentElement.dataset.wrote = edits.wrote;
  for (const { props } of window.gradio_config?.components ?? []) {
    if (props.elem_id === "yaml") props.value = { text: edits.text };
    else if (/-settings$/.test(props.elem_id)) props.value = {}; // the program says what the edits mean
    else if (Object.hasOwn(edits.values, props.elem_id)) props.value = edits.values[props.elem_id];
  }
})();
