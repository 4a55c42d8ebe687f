"""The engine's public list is true."""

import subprocess
import sys

import engine


def test_every_public_name_exists_and_no_other_is_promised() -> None:
    assert set(engine.__all__) == set(engine._WHERE)
    assert all(getattr(engine, name) is not None for name in engine.__all__)


def test_the_names_that_a_page_needs_load_no_torch() -> None:
    needed = [name for name in engine.__all__ if name != "TASKS"]
    script = f"import sys, engine; [getattr(engine, name) for name in {needed!r}]; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0
