"""Processes of our own beside the program: what they do keeps no training and no viewer waiting."""

from engine.answering.beside import Beside
from engine.answering.questions import Answer, Questions

__all__ = ["Answer", "Beside", "Questions"]
