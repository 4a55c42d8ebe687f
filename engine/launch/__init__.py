"""Several processes, started by `accelerate launch`."""

from engine.launch.command import ALONE, in_words, launch_command, options_of
from engine.launch.launcher import Launcher

__all__ = ["ALONE", "Launcher", "in_words", "launch_command", "options_of"]
