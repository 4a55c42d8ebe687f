"""All that runs have said, in one SQLite file of the home folder."""

from engine.store.checkpoint_files import Checkpoint, checkpoints
from engine.store.disk import Disk, Use
from engine.store.reading import ASIDE, LESSON, SWEEP, Reading, StoreReader
from engine.store.run import Run
from engine.store.store import Store

__all__ = [
    "ASIDE",
    "LESSON",
    "SWEEP",
    "Checkpoint",
    "Disk",
    "Reading",
    "Run",
    "Store",
    "StoreReader",
    "Use",
    "checkpoints",
]
