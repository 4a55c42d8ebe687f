"""The frame of a report: its style, and how text becomes HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #17202a; --ink-soft: #56626e; --line: #d5dce3; --grid: #e6ebef; --soft: #f4f7f9;
  --training: #0072b2; --evaluation: #d55e00; --examples: #b8609a; --targets: #007f5c; --allocated: #3d4852;
  --reserved: #7f8b97;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12171d; --ink: #e8edf2; --ink-soft: #a3afba; --line: #36414c; --grid: #28313a; --soft: #1a2129;
    --training: #4ba6de; --evaluation: #f0813a; --examples: #dd93bd; --targets: #35bd94; --allocated: #c3ccd5;
    --reserved: #8794a1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5; font-variant-numeric: tabular-nums;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 12px; }
h3 { font-size: 16px; margin: 0 0 4px; font-weight: 600; }
p { margin: 4px 0; max-width: 76ch; overflow-wrap: anywhere; }
.soft { color: var(--ink-soft); }
.sum { font-size: 19px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 32px 24px; }
figure { margin: 0; min-width: 0; }
svg { display: block; width: 100%; height: auto; }
.key { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 4px; color: var(--ink-soft); font-size: 14px; }
.key i { display: inline-block; width: 18px; border-top: 3px solid; margin-right: 6px; vertical-align: middle; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td {
  text-align: left; padding: 4px 24px 4px 0; border-bottom: 1px solid var(--line); font-weight: 400;
  vertical-align: top; overflow-wrap: anywhere;
}
th { color: var(--ink-soft); }
.sample { margin: 0 0 28px; }
.sample th { overflow-wrap: normal; }
.text { white-space: pre-wrap; max-width: 76ch; }
td.number, th.number { text-align: right; }
pre {
  background: var(--soft); padding: 16px; overflow-x: auto; font-size: 14px; line-height: 1.45; border-radius: 4px;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media print { main { padding: 0; } figure, table { break-inside: avoid; } }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page may load: nothing but its own style."""


def page(language: str, title: str, body: str) -> str:
    """A whole document, which nothing outside of it belongs to: what it may load is nothing at all."""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def section(title: str, inside: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{inside}\n</section>" if inside else ""


def paragraph(text: str, kind: str = "") -> str:
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(text)}</p>"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and values."""
    lines = [f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows]
    return f'<div class="wide"><table>{"".join(lines)}</table></div>' if lines else ""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    top = "".join(f'<th scope="col" class="number">{escape(name)}</th>' for name in head)
    lines = ["".join(f'<td class="number">{escape(value)}</td>' for value in row) for row in rows]
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{inside}</tbody></table></div>'


def figure(title: str, key: Sequence[tuple[str, str]], svg: str) -> str:
    """`key` are the lines' names and colours; of a single line the title says enough."""
    if not svg:
        return ""
    names = "".join(f'<span><i style="border-color: var(--{colour})"></i>{escape(name)}</span>' for name, colour in key)
    legend = f'<div class="key">{names}</div>' if len(key) > 1 else ""
    return f"<figure><h3>{escape(title)}</h3>{legend}{svg}</figure>"
