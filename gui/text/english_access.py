"""The words of the link to a page, of a page without controls, and of its charts in words,
a part of `gui.text.english`."""

from __future__ import annotations

ACCESS: dict[str, str] = {
    "link.copy": "Copy link",
    "link.done": "Copied",
    "link.title": "Copy a link that opens this tab, this run, these charts and these settings",
    "link.text": "The link to what this page shows",
    "link.copied": "The link has been copied.",
    "link.by-hand": "This page may not copy by itself: copy the marked link.",
    "link.too-long": "The settings are too long for a link, and are not in it.",
    "link.taken": "These settings come from the link. Nothing has been started.",
    "link.refused": "The settings of the link were refused; the form is as it was.",
    "link.unreadable": "The settings in the link can't be read; the form is as it was.",
    "link.unreadable.remedy": "Part of the link may be missing: copy it anew, whole.",
    "controls.hide": "Hide controls",
    "controls.hide.title": "Show the run or the lesson alone, for a projector",
    "controls.show": "Show controls",
    "controls.show.title": "Bring the form and the buttons back",
    "read.value": "{name}: from {first} to {last}, between {least} and {most}.",
    "read.one": "{name}: {last} at the only point so far.",
    "read.constant": "{name}: {last} throughout.",
    "plot.zoom": "Zoom",
    "plot.pan": "Move",
    "plot.reset": "Whole chart",
    "plot.image": "Download as an image",
    "plot.taking": "The image is being made.",
    "plot.taken": "The image has been downloaded.",
    "skip.to-run": "Skip to the run",
}
