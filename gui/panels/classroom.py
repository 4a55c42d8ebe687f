"""The Class tab: how students come in, what they are shown, and what they may run themselves."""

from __future__ import annotations

from gui.classroom.functions import server_functions
from gui.classroom.teacher import Classroom
from gui.scripted import scripted


def lay(classroom: Classroom) -> None:
    """Lays the tab, which the browser fills while it is open."""
    scripted("classroom", "classroom", "mount(element, server)", server_functions(classroom))
