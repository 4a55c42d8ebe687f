"""The program keeps to itself, whatever the environment says."""

from __future__ import annotations

import os
import signal

import pytest

from engine import end_signals, keep_to_itself


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())


def test_analytics_are_off_even_where_the_environment_turns_them_on() -> None:
    os.environ.update(GRADIO_ANALYTICS_ENABLED="True", HF_HUB_DISABLE_TELEMETRY="0")
    keep_to_itself()
    assert os.environ["GRADIO_ANALYTICS_ENABLED"] == "False"
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"


def test_what_gradio_would_take_from_the_environment_is_dropped() -> None:
    os.environ.update(GRADIO_SHARE="true", GRADIO_SERVER_NAME="0.0.0.0", GRADIO_TEMP_DIR="/somewhere")
    keep_to_itself()
    assert {name for name in os.environ if name.startswith("GRADIO_")} == {
        "GRADIO_ANALYTICS_ENABLED",
        "GRADIO_TEMP_DIR",
    }


def test_a_proxy_has_no_part_in_talk_with_this_machine() -> None:
    os.environ["NO_PROXY"] = "intranet"
    keep_to_itself()
    assert os.environ["NO_PROXY"].split(",") == ["intranet", "localhost", "127.0.0.1", "::1"]


def test_a_signal_to_end_is_noted_and_the_next_has_the_systems_own_effect() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with end_signals(heeded=1) as heard:
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) == signal.getsignal(signal.SIGINT) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == before
