"""Questions that a process of its own answers, so that no training and no viewer waits."""

from engine.answering.questions import Answer, Questions

__all__ = ["Answer", "Questions"]
