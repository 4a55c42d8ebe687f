"""What a proof is asked for, beside the config of the run that it is about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from engine.config.run import RunConfig
from engine.errors import ConfigError

ProofPrecision = Literal["fp32", "fp64"]

MOST_PLANS = 12
MOST_UPDATES = 200


@dataclass(frozen=True)
class ProofRequest:
    """Which plans are proved, as (rows of a micro-batch, micro-batches of a window), and in which precision.

    Without `plans` it is the run's own. With `updates` the plans are also trained side by side, so many updates each.
    """

    plans: tuple[tuple[int, int], ...] = ()
    precision: ProofPrecision = "fp32"
    updates: int = 0

    def plans_for(self, config: RunConfig) -> list[tuple[int, int]]:
        """The run's own plan and then the others that were asked for.

        Raises ConfigError where a plan is none or its window has other rows than the run's.
        """
        own = (config.micro_batch, config.accumulation_steps)
        for plan in self.plans:
            if min(plan) < 1 or plan[0] * plan[1] != own[0] * own[1]:
                raise ConfigError(
                    "proof.other-window",
                    field="training.per_device_train_batch_size",
                    plan=f"{plan[0]} × {plan[1]}",
                    own=f"{own[0]} × {own[1]}",
                    rows=own[0] * own[1],
                )
        return [own, *(plan for plan in dict.fromkeys(self.plans) if plan != own)]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "plans": [list(plan) for plan in self.plans]}

    @classmethod
    def from_dict(cls, values: Any) -> ProofRequest:
        """From plain values that anyone may have written. Raises ConfigError `proof.request`."""
        try:
            plans = tuple((_whole(rows), _whole(steps)) for rows, steps in values.get("plans", ()))
            precision, updates = values.get("precision", "fp32"), _whole(values.get("updates", 0))
        except (AttributeError, TypeError, ValueError):
            raise ConfigError("proof.request", most=MOST_PLANS, updates=MOST_UPDATES) from None
        if precision not in get_args(ProofPrecision) or len(plans) > MOST_PLANS or not 0 <= updates <= MOST_UPDATES:
            raise ConfigError("proof.request", most=MOST_PLANS, updates=MOST_UPDATES)
        return cls(plans, precision, updates)


def _whole(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value > 2**31 - 1:
        raise TypeError
    return value
