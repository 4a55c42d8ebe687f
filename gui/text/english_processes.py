"""The words of several processes, in English: in the form, and what one sees of them in a run."""

from __future__ import annotations

PROCESSES: dict[str, str] = {
    "form.processes": "Devices (processes)",
    "form.processes.info": "share each window",
    "form.accelerate-config": "File of accelerate config",
    "form.accelerate-config.info": "several machines, FSDP",
    "processes.command": "Started by",
    "processes.title": "Processes: peak memory of each",
    "processes.rank": "Process",
    "processes.device": "Device",
    "processes.peak": "Peak memory",
}
