"""Of samples during a run, and of trying a trained model."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- samples while a run trains ----
    "samples.prompts": Wording(
        "samples.prompts holds something else than texts, too many of them or too long a one.",
        "Write a list of at most {most} texts of at most {longest} characters each.",
    ),
    "samples.nothing": Wording(
        "samples names neither prompts nor rows, so there is nothing to sample.",
        "Set samples.rows to 1 or more, or write prompts; or remove samples.",
    ),
    "samples.no-mask": Wording(
        "The prompt “{prompt}” has no place to fill.", "Write {mask} where a word is to be found."
    ),
    "samples.empty-prompt": Wording("Of the prompt “{prompt}” no token is left.", "Write another one."),
    "run.nothing-to-sample": Wording("No rows are held out, so no row is sampled.", ""),
    "run.no-more-samples": Wording(
        "After update {update} no sample could be taken ({reason}): the run goes on without them.", ""
    ),
    # ---- a trained model tried ----
    "try.under-way": Wording("Run {run} is still under way.", "Wait for its end, or stop it."),
    "try.no-model": Wording("Run {run} has left no model.", "Choose a run with at least one update done."),
    "try.request": Wording("That is no request to try a model.", "Send a text and the knobs by name."),
    "try.text": Wording("The text is empty or longer than {longest} characters.", "Write a shorter one."),
    "try.knob": Wording("{name} can't be {value}.", "Choose {least} to {most}."),
    "try.too-long": Wording(
        "The text is {tokens} tokens long; at most {most} fit{beside}.", "Shorten it, or ask for fewer new tokens."
    ),
    "try.no-mask": Wording("The text has no place to fill.", "Write {mask} where a word is to be found."),
    "try.no-base": Wording("For {task} the model from before the training has nothing to say.", ""),
    "try.chat": Wording("This model has no template for a chat.", "Send the text as it is."),
    "try.no-memory": Wording(
        "The model needs some {needed} of memory and {free} are free.", "End other programs, or wait for the run."
    ),
    "try.unreadable": Wording("The model of run {run} can't be read: {reason}.", "Train it anew."),
    "try.failed": Wording("The model gave no answer: {problem}.", "Try another text."),
    "try.no-answer": Wording(
        "The process that holds the model has ended before it answered.", "Ask again; it starts anew."
    ),
}
