"""A store in a home of its own, and a session that works on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.session import Session
from engine.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def session(store: Store) -> Iterator[Session]:
    started = Session(store)
    started.start()
    yield started
    started.close()
