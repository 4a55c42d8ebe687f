"""Several processes on the page: what the form writes of them, and what follows from their number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import ConfigError, RunConfig, trust_page
from gui import form
from gui.linked import NotLinked, linked
from gui.panels.train import known_of
from gui.plans import plans_beside, settings_of
from tests.gui.test_arithmetic import spoken
from tests.gui.test_form import DEFAULT, changed

FILE = {"launch": {"accelerate_config": "cluster.yaml"}}


@pytest.fixture
def cluster(tmp_path: Path) -> str:
    """A file of four processes on the CPU."""
    path = tmp_path / "cluster.yaml"
    path.write_text("distributed_type: MULTI_CPU\nnum_processes: 4\n")
    return str(path)


@pytest.fixture
def own_page() -> Iterator[None]:
    trust_page(own=True)
    yield
    trust_page(own=False)


def shown(config: dict[str, Any]) -> tuple[Any, Any]:
    fields = form.show(RunConfig.from_dict(config))
    return fields["processes"], fields["accelerate-config"]


# ---- the form ----


def test_a_number_of_devices_is_written_and_one_is_what_a_run_is_unless_told() -> None:
    assert shown(DEFAULT) == (1, None)
    two = changed(processes=2.0)
    assert two["launch"] == {"processes": 2} and shown(two) == (2, None)
    for nothing in (1, 1.0, None):
        assert changed(two, processes=nothing) == DEFAULT
    assert changed(processes=1) == DEFAULT
    # what was written in the YAML stays as it was written
    assert changed({**DEFAULT, "launch": {"processes": 1}}, micro_batch=2)["launch"] == {"processes": 1}


def test_a_file_takes_the_place_of_the_one_device_that_is_shown() -> None:
    assert changed(accelerate_config=" cluster.yaml ")["launch"] == FILE["launch"]
    assert (
        changed({**DEFAULT, "launch": {"processes": 1}}, accelerate_config="cluster.yaml")["launch"] == FILE["launch"]
    )
    named = {**DEFAULT, **FILE}
    assert shown(named) == (None, "cluster.yaml")
    # the field may show one device still: it says nothing beside a file
    for nothing in (1, None):
        assert changed(named, processes=nothing, micro_batch=2)["launch"] == FILE["launch"]
    assert changed(named, accelerate_config="") == DEFAULT


def test_a_number_beside_a_file_is_told_and_neither_is_lost() -> None:
    for base, fields in (
        ({**DEFAULT, **FILE}, {"processes": 2}),
        (changed(processes=2), {"accelerate_config": "a.yaml"}),
    ):
        with pytest.raises(ConfigError) as fault:
            RunConfig.from_dict(changed(base, **fields))
        assert fault.value.code == "launch.both" and form.element_of(fault.value.field) == "accelerate-config"


@pytest.mark.parametrize("number", [0, -1, 2.5, 5000])
def test_a_number_that_is_none_is_told_at_its_field(number: float) -> None:
    with pytest.raises(ConfigError) as fault:
        RunConfig.from_dict(changed(processes=number))
    assert form.element_of(fault.value.field) == "processes"


def test_both_come_back_from_the_yaml() -> None:
    for config in (changed(processes=3), {**DEFAULT, **FILE}):
        read = RunConfig.from_yaml(RunConfig.from_dict(config).to_yaml()).to_dict()
        assert read == config and shown(read) == shown(config)


# ---- what follows ----


def test_the_arithmetic_counts_the_devices() -> None:
    two = RunConfig.from_dict(changed(processes=2))
    # 3824 rows: 59 windows of 64 are 3776, and 48 are left
    assert spoken(two, 3824)[0] == "8 × 4 × 2 devices = 64 examples an update · 60 updates an epoch · last window 48"


def test_a_proof_has_the_plans_of_the_whole_window_and_memory_those_of_each_device() -> None:
    settings = settings_of(RunConfig.from_dict(changed(processes=2)))
    assert (settings["own"], settings["plans"], settings["processes"]) == ((8, 4), plans_beside((8, 4)), 2)
    assert settings["window"] == {"own": (8, 8), "plans": plans_beside((8, 8))}
    alone = settings_of(RunConfig.default())
    assert alone["window"] == {"own": alone["own"], "plans": alone["plans"]}


def test_a_file_is_read_for_the_machines_own_page_alone(cluster: str) -> None:
    config = RunConfig.from_dict({**DEFAULT, "launch": {"accelerate_config": cluster}})
    assert settings_of(config)["processes"] == 1
    trust_page(own=True)
    try:
        assert settings_of(config)["processes"] == 4
    finally:
        trust_page(own=False)


def test_a_link_names_a_file_on_the_machines_own_page_alone(cluster: str) -> None:
    text = RunConfig.from_dict({**DEFAULT, "launch": {"accelerate_config": cluster}}).to_yaml()
    with pytest.raises(NotLinked) as refused:
        linked(text)
    assert refused.value.said["fault"]["code"] == "launch.elsewhere"
    trust_page(own=True)
    try:
        assert linked(text)[0].processes == 4
    finally:
        trust_page(own=False)


def test_a_file_that_is_gone_leaves_the_settings_as_they_are(own_page: None) -> None:
    assert settings_of(RunConfig.from_dict({**DEFAULT, **FILE}))["processes"] == 1


@pytest.mark.parametrize("own", [True, False])
def test_the_page_opens_whatever_file_the_last_run_named(own: bool) -> None:
    trust_page(own=own)
    try:
        said = known_of(RunConfig.from_dict({**DEFAULT, **FILE}), 3824)
    finally:
        trust_page(own=False)
    assert said["fault"]["code"] == ("launch.no-file" if own else "launch.elsewhere")
    assert (said["field"], said["tone"]) == ("accelerate-config", "quiet")
    assert "phrases" in known_of(RunConfig.default(), 3824)
