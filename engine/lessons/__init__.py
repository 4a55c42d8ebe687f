"""Lessons: a question, a live experiment, and a conclusion that follows from what was measured just now."""

from engine.lessons.lesson import Lesson
from engine.lessons.lessons import LESSONS, Lessons
from engine.lessons.telling import WORDS, told

__all__ = ["LESSONS", "WORDS", "Lesson", "Lessons", "told"]
