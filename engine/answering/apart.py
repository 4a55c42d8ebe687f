"""Processes of ours that are no part of a run: its memory is read without them."""

from __future__ import annotations

APART: set[int] = set()
"""Their ids."""
