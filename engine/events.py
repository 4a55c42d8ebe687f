"""What a run says: frozen dataclasses, written to the store and read by every viewer.

Device values have become plain numbers by the time an event exists. `seconds` of an event is the
time since the run began training, unless its docstring says that it is a duration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["queued", "loading", "running", "paused", "finished", "stopped", "failed", "interrupted"]
ALIVE: frozenset[str] = frozenset({"queued", "loading", "running", "paused"})

Activity = Literal[
    "",
    "data",
    "model",
    "training",
    "evaluating",
    "sampling",
    "saving",
    "proving",
    "measuring",
    "estimating",
    "counting",
]

Kind = Literal["train", "proof", "memory", "noise", "count"]
"""What the background thread does with a run: train it, prove its window, measure the memory of windows, estimate the
noise of its gradient, or count the targets of its window."""
KINDS: tuple[Kind, ...] = ("train", "proof", "memory", "noise", "count")

SampleKind = Literal["text", "class", "classes", "number", "tags", "masks"]

Command = Literal["pause", "resume", "stop", "next-micro-batch", "next-update", "slow-motion", "replay"]
COMMANDS: tuple[Command, ...] = (
    *("pause", "resume", "stop", "next-micro-batch"),
    *("next-update", "slow-motion", "replay"),
)


@dataclass(frozen=True, kw_only=True)
class StateChanged:
    """The run entered `state`. `code`, `message` and `remedy` say why, where there is a why."""

    run: int
    state: State
    activity: Activity = ""
    code: str = ""
    message: str = ""
    remedy: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunPlanned:
    """What really runs, known once the data and model are loaded.

    `plan` is `Plan.to_dict()`; `facts` holds what was found (model class, parameters, device, rows,
    `capacity_bytes` of the device, versions).
    """

    run: int
    plan: dict[str, Any]
    facts: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RunResumed:
    """The run goes on after `update`: what was told of later ones is taken back.

    `seconds` of training until then. `skipped_windows` and `skipped_examples`: those that had given no update.
    """

    run: int
    update: int
    seconds: float
    skipped_windows: int
    skipped_examples: int


@dataclass(frozen=True, kw_only=True)
class MicroBatchDone:
    """One forward and backward pass inside the window of `update` (counted from 1).

    `index` counts from 1 to `of`. `loss` is the mean over the micro-batch's own targets, None where it has
    none or it is not a number. `weight` is what the mean was multiplied by. `seconds` (a duration) and
    `grad_norm` (of the gradient accumulated so far) exist only while the micro-batch view is on.
    """

    run: int
    update: int
    index: int
    of: int
    loss: float | None
    weight: float
    targets: int
    examples: int
    seconds: float | None = None
    grad_norm: float | None = None


@dataclass(frozen=True, kw_only=True)
class MicroBatchSeen:
    """What was seen of a micro-batch while someone watched micro-batch by micro-batch.

    `rows` are its first rows as the model read them: `pieces` of decoded text (`text`; whether it is a `target`; of a
    masked one what was `wanted`), padding left out; the row's `targets`; its `label` in words where it has classes, a
    number or tags; `more`: tokens left out. `more` rows follow those. `forward_seconds` and `backward_seconds` are
    durations, `forward_bytes` and `backward_bytes` the main memory reading after each pass, None where there was none,
    or where watching began in its midst. `norm` is that of the gradient accumulated so far, `own_norm` that of what
    this micro-batch has added, its weight in it. `layers` hold `name` and `norm` of the accumulated gradient by
    layer, in the model's order.
    """

    run: int
    update: int
    index: int
    of: int
    rows: list[dict[str, Any]]
    more: int
    forward_seconds: float | None
    backward_seconds: float | None
    forward_bytes: int | None
    backward_bytes: int | None
    norm: float | None
    own_norm: float | None
    layers: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class WindowSeen:
    """The end of a window that was watched, after its update.

    `cosines`: of the gradient accumulated up to each micro-batch with the window's final one, None for a micro-batch
    before watching began, or without a gradient so far. `exact`: from all coordinates; else from a fixed sample of
    them, and `update_norm` with it. `norm` is the final gradient's, before and as clipping
    takes it; `clipped` what clipping multiplied
    it by, 1.0 where it did nothing. `update_norm` is the norm of the change of the weights. `zeroed`: the gradient was
    found to be none or zero afterwards.
    """

    run: int
    update: int
    cosines: list[float | None]
    exact: bool
    norm: float | None
    clipped: float | None
    learning_rate: float
    update_norm: float
    zeroed: bool


@dataclass(frozen=True, kw_only=True)
class WindowReplayed:
    """The window under way, gone through once more as one `large` batch and as it is `accumulated`, dropout at 0.

    `index`: micro-batches that it had done by then. `plan`: `rows`, `targets` and the rows of each of `micro_batches`.
    Each way holds `loss`, `norm`, `seconds` and `peak_bytes`, what was taken at most on the device meanwhile (None
    where nobody can tell). A way is None where it did not fit: `failure` then holds `requested_bytes`, `taken_bytes`
    and `budget_bytes`, as far as they are known. `relative_error` of the accumulated gradient from the large batch's,
    and their `cosine`, None without both. `tolerance`: up to which error the two are called the same.
    """

    run: int
    update: int
    index: int
    plan: dict[str, Any]
    large: dict[str, Any] | None
    accumulated: dict[str, Any] | None
    failure: dict[str, Any] | None
    relative_error: float | None
    cosine: float | None
    tolerance: float


@dataclass(frozen=True, kw_only=True)
class UpdateDone:
    """One optimizer step. Values are the whole window's.

    `loss` is None for a loss that is not a number. `padding` is the share of padded positions, 0 to 1.
    `duration` is the window's wall-clock seconds without pauses, evaluation and saving; `seconds` is
    the training time so far, pauses left out. `total_examples` and `total_targets` are sums over the
    run. `memory` is the peak of the main memory reading (device allocated, else resident bytes) since
    the last update. `total_tokens`: positions so far that were no padding, None where nobody has counted them.
    """

    run: int
    update: int
    epoch: float
    loss: float | None
    grad_norm: float | None
    learning_rate: float
    examples: int
    targets: int
    micro_batches: int
    padding: float
    duration: float
    seconds: float
    total_examples: int
    total_targets: int
    memory: int | None
    total_tokens: int | None = None


@dataclass(frozen=True, kw_only=True)
class WindowSkipped:
    """A window that gave no update: without a single target, or left out by fp16's gradient scaler.

    The schedule stays. `after` is the last update done.
    """

    run: int
    after: int
    examples: int


@dataclass(frozen=True, kw_only=True)
class EvaluationDone:
    """An evaluation after `update`.

    `loss` is the mean over all evaluation targets; `metrics` by name, such as accuracy or perplexity.
    """

    run: int
    update: int
    epoch: float
    loss: float | None
    metrics: dict[str, float]
    examples: int
    targets: int
    duration: float
    seconds: float
    total_examples: int
    total_targets: int


@dataclass(frozen=True, kw_only=True)
class SampleTaken:
    """What the model says after `update` of text `index` (from 1), one of the few that a run samples again and again.

    `kind` tells what `wanted` and `got` are: text (a text), class (a name), classes (names), number (a number), tags
    (a tag for each of the words of `given`, which are apart by a space), masks (a token for each place to fill).
    `wanted` is None where nobody knows. `right` is one truth for each thing that was wanted. `scores` hold `name` and
    `score`, a probability: of the likeliest classes, or of each token that was filled in.
    """

    run: int
    update: int
    index: int
    kind: SampleKind
    given: str
    wanted: Any
    got: Any
    right: list[bool]
    scores: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class MemorySample:
    """A reading of the memory sampler. `update` is fractional: 3.5 is half-way through the window of update 4.

    Bytes: `resident` of the process and its children; on a GPU `allocated`, `reserved` by the caching
    allocator, and `device_used` by everyone.
    """

    run: int
    seconds: float
    update: float
    total_examples: int
    total_targets: int
    resident: int
    allocated: int | None = None
    reserved: int | None = None
    device_used: int | None = None


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Something the user should know while the run goes on. `code` as in `errors.WORDING`."""

    run: int
    code: str
    message: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FactsGrew:
    """What has been found out about a run since it was planned: joins its facts."""

    run: int
    facts: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ResultGrew:
    """What a proof or a measurement has found so far, whole: it takes the place of what was told before."""

    run: int
    values: dict[str, Any]


Event = (
    StateChanged
    | RunPlanned
    | RunResumed
    | MicroBatchDone
    | MicroBatchSeen
    | WindowSeen
    | WindowReplayed
    | UpdateDone
    | WindowSkipped
    | EvaluationDone
    | SampleTaken
    | MemorySample
    | Notice
    | FactsGrew
    | ResultGrew
)
