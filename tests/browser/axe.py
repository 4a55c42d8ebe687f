"""What a page has against those who see little or nothing: axe's findings, and fields that stay light in the dark."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES: dict[str, Any] = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],
}
GRADIO_S: dict[str, tuple[str, ...]] = {}
"""Rule → selectors of what Gradio builds and we can't mend, each with the reason beside it. There is none."""
# a field without text has no contrast that axe could find too low
LIGHT_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((e) => !["checkbox", "radio", "range", "hidden"].includes(e.type))
  .map((e) => [e, getComputedStyle(e).backgroundColor.match(/[\\d.]+/g).map(Number)])
  .filter(([, [r, g, b, alpha = 1]]) => alpha > 0.5 && r + g + b > 384)
  .map(([e]) => `${e.outerHTML.slice(0, 120)} is light`)"""


def violations(page: Page) -> list[str]:
    """What axe finds serious or critical, but for Gradio's own."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{rule['id']} at {node['target']}: {node['html'][:120]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if not any(selector in str(node["target"]) for selector in GRADIO_S.get(rule["id"], ()))
    ]


def light_fields(page: Page) -> list[str]:
    """Of a page in the dark the fields whose ground is light."""
    return list(page.evaluate(LIGHT_FIELDS))
