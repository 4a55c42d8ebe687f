"""Every text that the page asks for is in the table, and nothing in the table is forgotten."""

from __future__ import annotations

import re
import string
from pathlib import Path

from engine import WORDING
from engine.events import Activity, State
from gui import charts
from gui.text import ENGLISH, TABLES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*ROOT.glob("gui/**/*.py"), *ROOT.glob("assets/*.js")]
# what ends in a value that is known only as the page runs: `say(`state.${state}`)`, f"form.{name}"
OPEN_NAME = re.compile(r"""[`"']([a-z][a-z.-]*\.)(?:\$\{|\{)""")
FULL_NAME = re.compile(r"""[`"']([a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+)[`"']""")


def values(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_name_that_the_sources_write_out_has_its_words() -> None:
    heads = {name.split(".")[0] for name in ENGLISH}
    counted = {name.removesuffix(".one") for name in ENGLISH if name.endswith(".one")}
    for file in SOURCES:
        if "text" in file.parts or file.name == "launch.py":
            continue  # launch speaks on the terminal, in the engine's words
        for name in FULL_NAME.findall(file.read_text(encoding="utf-8")):
            if name.split(".")[0] in heads and not name.startswith(("data.", "training.", "run.", "theme.j")):
                assert name in ENGLISH or name in counted or name == "birikim.theme", f"{file.name}: {name}"


def test_no_value_of_a_field_is_the_name_of_a_text() -> None:
    # Gradio shows the words of a value that is called like a text, and takes them for what was chosen
    assert all("." in name for table in TABLES.values() for name in table)


def test_every_text_is_used_somewhere() -> None:
    written = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES if "text" not in file.parts)
    openings = set(OPEN_NAME.findall(written))
    for name in ENGLISH:
        stem = name.removesuffix(".one").removesuffix(".many").removesuffix(".remedy").removesuffix(".info")
        used = stem in written or stem in WORDING or any(name.startswith(opening) for opening in openings)
        assert used, name


def test_words_in_place_of_the_engine_s_need_no_other_values() -> None:
    for name, text in ENGLISH.items():
        if wording := WORDING.get(name.removesuffix(".remedy")):
            assert values(text) <= values(" ".join(wording)), name


def test_every_state_and_activity_has_its_words() -> None:
    for state in State.__args__:  # type: ignore[attr-defined]
        assert f"state.{state}" in ENGLISH
    for activity in filter(None, Activity.__args__):  # type: ignore[attr-defined]
        assert f"activity.{activity}" in ENGLISH


def test_every_chart_trace_and_axis_has_its_words() -> None:
    for chart in charts.CHARTS:
        assert {f"chart.{chart.name}.{part}" for part in ("title", "about", "empty")} <= ENGLISH.keys()
        assert {f"trace.{trace.name}" for trace in chart.traces} <= ENGLISH.keys()
        assert chart.bytes or {f"axis.{unit}" for unit in chart.units} <= ENGLISH.keys()
    for axis in charts.X_AXES:
        assert {f"axis.{axis}", f"charts.x.{axis}"} <= ENGLISH.keys()


def test_every_language_has_the_same_texts_with_the_same_values() -> None:
    for table in TABLES.values():
        assert table.keys() == ENGLISH.keys()
        assert all(values(table[name]) == values(ENGLISH[name]) for name in table)
