"""The words of the Learn tab in English, a part of `gui.text.english`."""

from __future__ import annotations

from engine import LESSON_WORDS
from gui.text.english_prose import PROSE

LESSONS: dict[str, str] = {
    "tab.learn": "Learn",
    "learn.lessons": "Lessons",
    "learn.of": "Lesson {number} of {of}",
    "learn.done": "done",
    # The question
    "learn.question": "What do you expect?",
    "learn.question.about": "Choose an answer. The experiment shows what is right.",
    "learn.yours": "your answer",
    "learn.right": "Right",
    "learn.wrong": "Not so",
    "learn.anew": "Answer anew",
    "learn.anew.title": "Hide the results here, and choose once more",
    # The experiment
    "learn.experiment": "The experiment",
    "learn.start": "Run the experiment",
    "learn.start.title": "Run its parts one after another, here on this machine",
    "learn.again": "Run it again",
    "learn.stop.title": "End the part under way, and drop those that wait",
    "learn.why.looking": "Looking for what has been measured.",
    "learn.why.answer": "Choose an answer first.",
    "learn.why.asked": "Asked for.",
    "learn.why.under-way": "The experiment is under way.",
    "learn.why.idle": "No experiment is under way.",
    "learn.state.fresh": "Not run yet",
    "learn.state.working": "Under way",
    "learn.state.done": "Done",
    "learn.state.failed": "Broken off",
    "learn.ahead": "waits for what the program is busy with",
    "learn.part": "part {part} of {of}",
    "learn.use": "Open in Train",
    "learn.use.title": "Put the settings of “{part}” into the form of the Train tab",
    # What was measured
    "learn.covered": "This has been measured already. Choose an answer, and you will see what came out.",
    "learn.chart": "Chart",
    "learn.chart.empty": "What the experiment measures is drawn here as it comes in.",
    "learn.chart.read": "{name}: {points}.",
    "learn.chart.point": "{y} at {x}",
    "learn.figures": "In figures",
    "learn.conclusion": "What came out",
    "learn.conclusion.empty": "The conclusion is drawn here from the numbers, once the last part is done.",
    # The end
    "learn.reading": "Further reading",
    "learn.next": "Next: {title}",
    **PROSE,
    **LESSON_WORDS["en"],
}
