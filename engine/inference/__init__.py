"""What a trained model, or one that is being trained, says of a text: a class, tags, fillings or more text."""

from engine.inference.heads import classes_of, fillings_of, tags_of
from engine.inference.texts import Knobs, chat_ids, generated, prompt_ids

__all__ = ["Knobs", "chat_ids", "classes_of", "fillings_of", "generated", "prompt_ids", "tags_of"]
