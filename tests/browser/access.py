"""What a page has against those who see little or nothing, or use no mouse."""

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

FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]"
# What the keyboard should reach: all that is seen and can be used. Of radio buttons that belong together and of the
# micro-batches of a window the arrow keys reach the others, so one of each is in the tab order.
REACHABLE = f"""() => [...document.querySelectorAll({FOCUSABLE!r})].filter((e) =>
  !e.disabled && e.tabIndex >= 0 && e.checkVisibility({{ visibilityProperty: true }}) && !e.closest("[inert]")
  && (e.type !== "radio" || e.checked))"""
# How something looks while it has the focus and while it has not: itself, what is around it, the text beside a radio
LOOKS = """(element) => {
  const around = [element.parentElement, element.parentElement.parentElement, element.closest(".wrap")];
  return [element, element.nextElementSibling, ...around].filter(Boolean).map((part) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, clipPath } = getComputedStyle(part);
    const outline = outlineStyle === "none" ? "" : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
    return [outline, boxShadow, borderColor, clipPath].join("|");
  }).join("/");
}"""


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


def nameless(page: Page) -> list[str]:
    """The roles of what one uses and that a screen reader has no name for."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    used = {"button", "textbox", "combobox", "checkbox", "radio", "slider", "spinbutton", "tab", "link", "listbox"}
    return [
        str(node["role"]["value"])
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in used and not str(node["name"].get("value", "")).strip()
    ]


def walk(page: Page) -> tuple[list[int], list[str]]:
    """Tab from the page's beginning to its end: the places of what it reached, and what showed no focus."""
    page.evaluate(f"window.reachable = ({REACHABLE})(); window.before = reachable.map({LOOKS})")
    count = page.evaluate("reachable.length")
    page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)")
    page.keyboard.press("Control+Home")
    places: list[int] = []
    unseen: list[str] = []
    for _ in range(count + 20):
        page.keyboard.press("Tab")
        place = page.evaluate("reachable.indexOf(document.activeElement)")
        if place < 0 and page.evaluate("document.activeElement === document.body"):
            break
        if place < 0 or place in places:
            continue
        places.append(place)
        if page.evaluate(f"(at) => ({LOOKS})(reachable[at]) === before[at]", place):
            unseen.append(page.evaluate("(at) => reachable[at].outerHTML.slice(0, 160)", place))
    return places, unseen


def check_keyboard(page: Page) -> None:
    """Tab reaches all that can be used, in the order in which it stands, and each is seen as it has the focus."""
    places, unseen = walk(page)
    missed = page.evaluate(
        "(places) => reachable.filter((_, at) => !places.includes(at)).map((e) => e.outerHTML.slice(0, 160))", places
    )
    assert missed == []
    assert places == sorted(places)
    assert unseen == []
