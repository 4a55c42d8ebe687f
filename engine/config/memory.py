"""What a measurement of memory is asked for, beside the config of the run that it is about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from engine.config.run import RunConfig
from engine.errors import ConfigError

MemoryWhat = Literal["xray", "trial"]

MOST_PLANS = 4


@dataclass(frozen=True)
class MemoryRequest:
    """One real window of each of `plans`, as (rows of a micro-batch, micro-batches of a window).

    An `xray` shows how its memory goes; a `trial` asks whether it fits. Without `plans` it is the run's own.
    """

    what: MemoryWhat = "xray"
    plans: tuple[tuple[int, int], ...] = ()

    def plans_for(self, config: RunConfig) -> list[tuple[int, int]]:
        """The plans that were asked for, each once; the run's own where none was."""
        return list(dict.fromkeys(self.plans)) or [(config.micro_batch, config.accumulation_steps)]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "plans": [list(plan) for plan in self.plans]}

    @classmethod
    def from_dict(cls, values: Any) -> MemoryRequest:
        """From plain values that anyone may have written. Raises ConfigError `memory.request`."""
        try:
            what = values.get("what", "xray")
            plans = tuple((_whole(rows), _whole(steps)) for rows, steps in values.get("plans", ()))
        except (AttributeError, TypeError, ValueError):
            raise ConfigError("memory.request", most=MOST_PLANS) from None
        if what not in get_args(MemoryWhat) or len(plans) > MOST_PLANS:
            raise ConfigError("memory.request", most=MOST_PLANS)
        return cls(what, plans)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 2**31:
        raise TypeError
    return value
