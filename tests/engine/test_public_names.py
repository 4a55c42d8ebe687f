"""The engine's public list is true."""

import subprocess
import sys
from pathlib import Path

import engine


def test_every_public_name_exists_and_no_other_is_promised() -> None:
    assert set(engine.__all__) == set(engine._WHERE)
    assert all(getattr(engine, name) is not None for name in engine.__all__)


def test_no_public_name_is_a_module_of_the_same_name() -> None:
    """Its import would put the module in the name's place."""
    assert not {name for name in engine.__all__ if (Path(engine.__file__).parent / f"{name}.py").exists()}


def test_the_names_that_a_page_needs_load_no_torch() -> None:
    needed = [name for name in engine.__all__ if name != "TASKS"]
    script = f"import sys, engine; [getattr(engine, name) for name in {needed!r}]; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0
