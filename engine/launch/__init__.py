"""Several processes, started by `accelerate launch`."""

from engine.launch.command import in_words, launch_command
from engine.launch.launcher import Launcher

__all__ = ["Launcher", "in_words", "launch_command"]
