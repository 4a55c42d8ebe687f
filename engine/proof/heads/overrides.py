"""What the patterns of names cannot know of a model, by model type."""

from __future__ import annotations

from typing import Any

OVERRIDES: dict[str, dict[str, Any]] = {}
"""Fields of a tiny model's config, set after all patterns."""
