"""The training loop: `transformers.Trainer` with windows of its own."""

from engine.trainer.arguments import training_arguments
from engine.trainer.collate import CountingCollator, MicroBatchCount
from engine.trainer.progress import Progress
from engine.trainer.trainer import AccumulatingTrainer

__all__ = ["AccumulatingTrainer", "CountingCollator", "MicroBatchCount", "Progress", "training_arguments"]
