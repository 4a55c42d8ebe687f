"""What a measurement is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from engine import ConfigError, MemoryRequest, RunConfig

CONFIG = RunConfig.default()


def test_without_plans_it_is_the_run_s_own_and_with_some_each_once() -> None:
    assert MemoryRequest().plans_for(CONFIG) == [(8, 4)]
    assert MemoryRequest("xray", ((32, 1), (8, 4), (32, 1))).plans_for(CONFIG) == [(32, 1), (8, 4)]


def test_what_is_written_is_read_back() -> None:
    request = MemoryRequest("trial", ((16, 2),))
    assert MemoryRequest.from_dict(request.to_dict()) == request
    assert MemoryRequest.from_dict({}) == MemoryRequest()


@pytest.mark.parametrize(
    "values",
    [None, [], "x", {"what": "train"}, {"what": {}}, {"plans": 3}, {"plans": [[1]]}, {"plans": [[0, 1]]},
     {"plans": [[True, 1]]}, {"plans": [["8", 4]]}, {"plans": [[2**31, 1]]}, {"plans": [[1, 1]] * 5}],
)  # fmt: skip
def test_what_is_no_request_is_refused(values: Any) -> None:
    with pytest.raises(ConfigError, match="no request for a measurement"):
        MemoryRequest.from_dict(values)
