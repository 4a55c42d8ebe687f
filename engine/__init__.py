"""Birikim's engine: everything that trains. These are its public names.

They load on first use, so that a page or a command line that needs little does not wait for torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.accumulation import Plan as Plan
    from engine.answering import Beside as Beside
    from engine.checks import check as check
    from engine.compare import compare as compare_runs
    from engine.config import AttemptRequest as AttemptRequest
    from engine.config import DataConfig as DataConfig
    from engine.config import LoraSpec as LoraSpec
    from engine.config import MemoryRequest as MemoryRequest
    from engine.config import ProofRequest as ProofRequest
    from engine.config import RunConfig as RunConfig
    from engine.config import SamplesSpec as SamplesSpec
    from engine.config import SweepSpec as SweepSpec
    from engine.config import default_home as default_home
    from engine.datasets import BUILT_IN as DATASETS
    from engine.datasets import training_rows as training_rows
    from engine.ending import end_signals as end_signals
    from engine.environment import keep_to_itself as keep_to_itself
    from engine.errors import WORDING as WORDING
    from engine.errors import BirikimError as BirikimError
    from engine.errors import ConfigError as ConfigError
    from engine.errors import RunError as RunError
    from engine.errors import StoreError as StoreError
    from engine.events import ALIVE as ALIVE
    from engine.events import COMMANDS as COMMANDS
    from engine.events import KINDS as KINDS
    from engine.export import EXPORTS as EXPORTS
    from engine.export import take_away as take_away
    from engine.export.launching import line as launch_line
    from engine.export.run_file import bring as import_run
    from engine.export.service import Takeaways as Takeaways
    from engine.lessons import LESSONS as LESSONS
    from engine.lessons import WORDS as LESSON_WORDS
    from engine.lessons import Lessons as Lessons
    from engine.lessons import told as told_lesson
    from engine.memory.cards import CARDS as CARDS
    from engine.memory.cards import Card as Card
    from engine.memory.savers import savers as savers
    from engine.models import BUILT_IN as MODELS
    from engine.models import cached_models as cached_models
    from engine.models import model_card as model_card
    from engine.place import devices as devices
    from engine.previews.preview import preview as preview
    from engine.processes import check_named as check_named
    from engine.processes import shown_processes as shown_processes
    from engine.saved_tables import counts_by_task as counts_by_task
    from engine.saved_tables import heads_table as heads_table
    from engine.session import Session as Session
    from engine.store import ASIDE as ASIDE
    from engine.store import LESSON as LESSON
    from engine.store import SWEEP as SWEEP
    from engine.store import Checkpoint as Checkpoint
    from engine.store import Disk as Disk
    from engine.store import Reading as Reading
    from engine.store import Run as Run
    from engine.store import Store as Store
    from engine.store import StoreReader as StoreReader
    from engine.store import checkpoints as checkpoints
    from engine.support import quantizes as quantizes
    from engine.sweep import Sweeps as Sweeps
    from engine.tasks import TASKS as TASKS
    from engine.trust import trust_page as trust_page
    from engine.words.language import Language as Language
    from engine.words.turkish import TURKISH as TURKISH

_WHERE = {
    "ALIVE": ("engine.events", "ALIVE"),
    "ASIDE": ("engine.store", "ASIDE"),
    "LESSON": ("engine.store", "LESSON"),
    "SWEEP": ("engine.store", "SWEEP"),
    "AttemptRequest": ("engine.config", "AttemptRequest"),
    "Beside": ("engine.answering", "Beside"),
    "BirikimError": ("engine.errors", "BirikimError"),
    "CARDS": ("engine.memory.cards", "CARDS"),
    "COMMANDS": ("engine.events", "COMMANDS"),
    "Card": ("engine.memory.cards", "Card"),
    "Checkpoint": ("engine.store", "Checkpoint"),
    "ConfigError": ("engine.errors", "ConfigError"),
    "DATASETS": ("engine.datasets", "BUILT_IN"),
    "DataConfig": ("engine.config", "DataConfig"),
    "Disk": ("engine.store", "Disk"),
    "EXPORTS": ("engine.export", "EXPORTS"),
    "KINDS": ("engine.events", "KINDS"),
    "Takeaways": ("engine.export.service", "Takeaways"),
    "import_run": ("engine.export.run_file", "bring"),
    "launch_line": ("engine.export.launching", "line"),
    "take_away": ("engine.export", "take_away"),
    "Language": ("engine.words.language", "Language"),
    "LoraSpec": ("engine.config", "LoraSpec"),
    "LESSONS": ("engine.lessons", "LESSONS"),
    "LESSON_WORDS": ("engine.lessons", "WORDS"),
    "Lessons": ("engine.lessons", "Lessons"),
    "told_lesson": ("engine.lessons", "told"),
    "MODELS": ("engine.models", "BUILT_IN"),
    "ProofRequest": ("engine.config", "ProofRequest"),
    "MemoryRequest": ("engine.config", "MemoryRequest"),
    "Plan": ("engine.accumulation", "Plan"),
    "Reading": ("engine.store", "Reading"),
    "Run": ("engine.store", "Run"),
    "RunConfig": ("engine.config", "RunConfig"),
    "RunError": ("engine.errors", "RunError"),
    "SamplesSpec": ("engine.config", "SamplesSpec"),
    "Session": ("engine.session", "Session"),
    "Store": ("engine.store", "Store"),
    "StoreReader": ("engine.store", "StoreReader"),
    "StoreError": ("engine.errors", "StoreError"),
    "SweepSpec": ("engine.config", "SweepSpec"),
    "Sweeps": ("engine.sweep", "Sweeps"),
    "TASKS": ("engine.tasks", "TASKS"),
    "TURKISH": ("engine.words.turkish", "TURKISH"),
    "WORDING": ("engine.errors", "WORDING"),
    "checkpoints": ("engine.store", "checkpoints"),
    "cached_models": ("engine.models", "cached_models"),
    "check": ("engine.checks", "check"),
    "check_named": ("engine.processes", "check_named"),
    "compare_runs": ("engine.compare", "compare"),
    "default_home": ("engine.config", "default_home"),
    "devices": ("engine.place", "devices"),
    "end_signals": ("engine.ending", "end_signals"),
    "counts_by_task": ("engine.saved_tables", "counts_by_task"),
    "heads_table": ("engine.saved_tables", "heads_table"),
    "preview": ("engine.previews.preview", "preview"),
    "quantizes": ("engine.support", "quantizes"),
    "shown_processes": ("engine.processes", "shown_processes"),
    "savers": ("engine.memory.savers", "savers"),
    "keep_to_itself": ("engine.environment", "keep_to_itself"),
    "model_card": ("engine.models", "model_card"),
    "training_rows": ("engine.datasets", "training_rows"),
    "trust_page": ("engine.trust", "trust_page"),
}

__all__ = [
    "ALIVE",
    "ASIDE",
    "CARDS",
    "COMMANDS",
    "DATASETS",
    "EXPORTS",
    "KINDS",
    "LESSON",
    "LESSONS",
    "LESSON_WORDS",
    "MODELS",
    "SWEEP",
    "TASKS",
    "TURKISH",
    "WORDING",
    "AttemptRequest",
    "Beside",
    "BirikimError",
    "Card",
    "Checkpoint",
    "ConfigError",
    "DataConfig",
    "Disk",
    "Language",
    "Lessons",
    "LoraSpec",
    "MemoryRequest",
    "Plan",
    "ProofRequest",
    "Reading",
    "Run",
    "RunConfig",
    "RunError",
    "SamplesSpec",
    "Session",
    "Store",
    "StoreError",
    "StoreReader",
    "SweepSpec",
    "Sweeps",
    "Takeaways",
    "cached_models",
    "check",
    "check_named",
    "checkpoints",
    "compare_runs",
    "counts_by_task",
    "default_home",
    "devices",
    "end_signals",
    "heads_table",
    "import_run",
    "keep_to_itself",
    "launch_line",
    "model_card",
    "preview",
    "quantizes",
    "savers",
    "shown_processes",
    "take_away",
    "told_lesson",
    "training_rows",
    "trust_page",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'engine' has no attribute '{name}'")
    module, attribute = _WHERE[name]
    return getattr(importlib.import_module(module), attribute)
