"""Of lessons."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "lesson.unknown": Wording("There is no lesson “{name}”.", "The lessons are: {names}."),
    "count.finished": Wording("The targets are counted.", ""),
    "lesson.under-way": Wording("The lesson {lesson} is under way.", "Wait for its end, or stop it first."),
}
