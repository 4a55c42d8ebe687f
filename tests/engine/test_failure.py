"""A failure in plain words."""

import errno

import pytest
import torch

from engine.errors import ConfigError, RunError
from engine.session.failure import failed


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (MemoryError(), "run.out-of-memory"),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), "run.out-of-memory"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "run.out-of-memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "store.disk-full"),
        (FileNotFoundError(errno.ENOENT, "No such file", "rows.csv"), "run.file-missing"),
        (RunError("run.not-finite", update=3), "run.not-finite"),
        (ZeroDivisionError("division by zero"), "run.unexpected"),
    ],
)
def test_each_kind_of_failure_has_its_words_and_a_remedy(problem: Exception, code: str) -> None:
    told = failed(7, problem)
    assert (told.run, told.state, told.code) == (7, "failed", code)
    assert told.message and told.remedy and "\n" not in told.message


def test_the_path_that_is_missing_is_named() -> None:
    assert "rows.csv" in failed(1, FileNotFoundError(errno.ENOENT, "No such file", "rows.csv")).message


def test_a_wrong_config_found_late_still_ends_the_command_line_with_2() -> None:
    assert failed(1, ConfigError("run.no-rows", field="data")).values["exit"] == 2


def test_a_long_or_broken_text_becomes_one_short_line() -> None:
    told = failed(1, ValueError("first line\n  second line " + "x" * 5000))
    assert "first line second line" in told.message and len(told.message) < 400
