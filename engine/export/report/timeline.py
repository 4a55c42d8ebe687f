"""What the model said of the same few texts as it learnt, a table a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from engine.export.report.speech import Speech

Sample = Mapping[str, Any]
"""By the names of `events.SampleTaken`."""

MOST_UPDATES = 20
"""Of a long timeline so many updates are shown, the first and the last among them."""

MOST_CHARACTERS = 600
"""Of a text."""


def timeline(samples: Sequence[Sample], say: Speech) -> str:
    """HTML; empty where there are no samples."""
    texts: dict[int, list[Sample]] = {}
    for sample in samples:
        texts.setdefault(sample["index"], []).append(sample)
    return "\n".join(_told(texts[index], say) for index in sorted(texts))


def _told(of_text: Sequence[Sample], say: Speech) -> str:
    first = of_text[0]
    said = [_line(say("sample.given"), first["given"], say)]
    if first["wanted"] is not None:
        said.append(_line(say("sample.wanted"), shown(first["given"], first["wanted"], first["kind"], say), say))
    judged = any(sample["right"] for sample in of_text)
    names = ["sample.update", "sample.said", *(["sample.judged"] if judged else [])]
    head = "".join(f'<th scope="col"{_kind(name)}>{escape(say(name))}</th>' for name in names)
    rows = "".join(_row(sample, say, judged=judged) for sample in of_text)
    title = escape(say("sample.text", number=first["index"]))
    table = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f'<div class="sample">\n<h3>{title}</h3>\n{"".join(said)}\n{table}\n</div>'


def _kind(name: str) -> str:
    return ' class="number"' if name == "sample.update" else ""


def _line(name: str, text: str, say: Speech) -> str:
    return f'<p class="text"><span class="soft">{escape(name)}</span> {escape(_cut(text) or say("sample.nothing"))}</p>'


def _row(sample: Sample, say: Speech, *, judged: bool) -> str:
    said = shown(sample["given"], sample["got"], sample["kind"], say, sample["scores"])
    got = _cut(said) or say("sample.nothing")
    update = say.figures(f"{sample['update']:,}")
    cells = [f'<td class="number">{update}</td>', f'<td class="text">{escape(got)}</td>']
    if judged:
        cells.append(f"<td>{escape(_judged(sample['right'], say))}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _judged(right: Sequence[bool], say: Speech) -> str:
    if len(right) > 1:
        return say("sample.partly", right=sum(right), of=len(right))
    return "" if not right else say("sample.right" if right[0] else "sample.wrong")


def shown(given: str, value: Any, kind: str, say: Speech, scores: Sequence[Mapping[str, Any]] = ()) -> str:
    """What was wanted or said as one text: a tag beside each word, a probability beside each name that has one."""
    if kind == "text":
        return str(value)
    if kind == "number":
        return say.figures(f"{value:.4g}")
    if kind == "tags":
        return " · ".join(f"{word} {tag}" for word, tag in zip(given.split(" "), value, strict=False))
    chance = {score["name"]: score["score"] for score in scores}
    names = [value] if kind == "class" else value
    return " · ".join(
        f"{name} {say.figures(f'{100 * chance[name]:.0f} %')}" if name in chance else str(name) for name in names
    )


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
