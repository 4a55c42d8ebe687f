"""What an estimate of the gradient noise is asked for, beside the config that it is about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine.config.run import RunConfig
from engine.errors import ConfigError

MOST_WINDOWS = 200


@dataclass(frozen=True)
class NoiseRequest:
    """Over how many windows of the config the noise is averaged."""

    windows: int = 8

    def check(self, config: RunConfig) -> None:
        """Raises ConfigError where a window is a single micro-batch: one batch size is one equation too few."""
        if config.accumulation_steps < 2:
            raise ConfigError("noise.one-micro-batch", field="training.gradient_accumulation_steps")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> NoiseRequest:
        """From plain values that anyone may have written. Raises ConfigError `noise.request`."""
        windows = values.get("windows", cls.windows) if isinstance(values, dict) else None
        if not isinstance(windows, int) or isinstance(windows, bool) or not 1 <= windows <= MOST_WINDOWS:
            raise ConfigError("noise.request", most=MOST_WINDOWS)
        return cls(windows)
