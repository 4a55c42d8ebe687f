"""The training loop: `transformers.Trainer` with windows of its own."""

from engine.trainer.arguments import training_arguments
from engine.trainer.checkpointing import versions
from engine.trainer.collate import COUNT, CountingCollator, MicroBatchCount, WindowCollator
from engine.trainer.fitting import Dealing
from engine.trainer.prepare import Stage, prepare
from engine.trainer.prepared import Prepared
from engine.trainer.progress import Progress
from engine.trainer.trainer import AccumulatingTrainer
from engine.trainer.windows import Window

__all__ = [
    "COUNT",
    "AccumulatingTrainer",
    "CountingCollator",
    "Dealing",
    "MicroBatchCount",
    "Prepared",
    "Progress",
    "Stage",
    "Window",
    "WindowCollator",
    "prepare",
    "training_arguments",
    "versions",
]
