"""Of a run that is taken away."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "export.unknown": Wording("A run can't be exported as “{kind}”.", "Choose one of {known}."),
    "export.alive": Wording("Run {run} is still under way.", "Export it once it has ended."),
    "export.no-model": Wording("Run {run} left no model.", "Train it again to its end."),
    "export.no-adapter": Wording(
        "Run {run} trained no adapters, or left none.", "Set lora and train again; the model is there as a whole."
    ),
    "export.no-updates": Wording(
        "Run {run} made no update, so there is nothing to reproduce.", "Export its YAML, or train it first."
    ),
    "export.not-written": Wording("{path} can't be written: {reason}.", "Choose another place with --to."),
    "export.skipped": Wording(
        "The run skipped windows that gave no update ({windows}), and a stock Trainer would step on them.",
        "Export its YAML, and train it with `birikim train`.",
    ),
    "export.other-windows": Wording(
        "Update {update} was made of {examples} rows, {targets} targets and {micro_batches} micro-batches; the "
        "settings and the data now give {now}. The data have changed since, or the run was dealt anew on its way.",
        "Put the data back as they were; a run that was halved or resumed with another plan has no script.",
    ),
    "export.other-schedule": Wording(
        "Update {update} was made at a learning rate of {rate}; a schedule over {total} updates gives {now}. The run "
        "went on with another length than it began with, and a script has one schedule.",
        "Export its YAML, or train it anew in one go.",
    ),
    "export.field": Wording(
        "An exported script can't do what “{field}” asks for.", "Export the YAML, or train without it."
    ),
    "export.own-code": Wording(
        "“{field}” of run {run} is code from a file, which the page does not run.",
        "Export it on the command line: birikim export {run} --as script.",
    ),
    "export.metric": Wording(
        "The run chose by {metric}, which its evaluations do not give.",
        "Train with another training.metric_for_best_model, or export the YAML.",
    ),
    "export.stream": Wording(
        "Rows that are streamed can't be written beside a script.", "Train on a file, or export the YAML."
    ),
    "export.rows": Wording(
        "Rows of this task hold what a script does not know: {part}.",
        "Export the YAML, and train with `birikim train`.",
    ),
    "export.failed": Wording(
        "The export failed: {problem}.", "Try `birikim export` on the command line; it says more."
    ),
    "export.no-answer": Wording("The export gave no answer in time.", "Try `birikim export` on the command line."),
    # ---- to the Hub ----
    "push.name": Wording("“{name}” is no name of a repository.", "Write it as owner/name."),
    "push.offline": Wording(
        "HF_HUB_OFFLINE forbids every request to the Hub.", "Unset it to push; the model stays in the run's folder."
    ),
    "push.no-token": Wording(
        "The Hub does not know who you are.", "Log in with `hf auth login`, or set HF_TOKEN to a token that may write."
    ),
    "push.refused": Wording("The Hub refuses {name}: {reason}.", "Use a token that may write there, or another owner."),
    "push.unreachable": Wording(
        "The Hub can't be reached: {reason}.",
        "Check the network and push again; what was sent already is not sent twice.",
    ),
}
