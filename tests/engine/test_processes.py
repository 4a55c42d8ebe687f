"""In how many processes a run goes: what a config says of it, the file of accelerate, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import checks, environment, place, processes
from engine.accumulation import Plan
from engine.config import AccelerateFile, RunConfig, check_continues
from engine.config.accelerate_file import FIELD
from engine.errors import ConfigError
from engine.processes import check_processes
from engine.session.control import Control
from engine.session.execute import execute
from engine.store import Store
from engine.trust import page_is_own, trust_page

BASE = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}}

FILE: dict[str, Any] = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "MULTI_GPU",
    "mixed_precision": "'no'",
    "num_machines": 1,
    "num_processes": 2,
    "machine_rank": 0,
    "use_cpu": "false",
}
"""As `accelerate config` writes it, but for what changes no run."""


def config(**values: Any) -> RunConfig:
    return RunConfig.from_dict({**BASE, **values})


def written(folder: Path, **changes: Any) -> str:
    """The path of a file with these values in place of the usual ones; None: left out."""
    values = {name: value for name, value in {**FILE, **changes}.items() if value is not None}
    path = folder / "cluster.yaml"
    path.write_text("".join(f"{name}: {value}\n" for name, value in values.items()))
    return str(path)


def fault_of(folder: Path, **changes: Any) -> ConfigError:
    with pytest.raises(ConfigError) as fault:
        AccelerateFile.read(written(folder, **changes))
    assert fault.value.field == FIELD and "cluster.yaml" in fault.value.line
    return fault.value


def refused(chosen: RunConfig, *, own_files: bool = True) -> ConfigError:
    with pytest.raises(ConfigError) as fault:
        check_processes(chosen, own_files=own_files)
    assert fault.value.remedy
    return fault.value


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The ids of the devices that are here, for a test to choose."""
    found = ["cpu"]
    monkeypatch.setattr(place, "_here", lambda: found)
    monkeypatch.setattr(place, "_about", lambda name: {"name": name, "bytes": 0})
    yield found


# ---- the config ----


def test_a_run_is_one_process_unless_told() -> None:
    assert config().launch is None
    assert (config().processes, config().launched) == (1, False)
    one = config(launch={"processes": 1})
    assert (one.processes, one.launched) == (1, False)
    two = config(launch={"processes": 2.0})
    assert (two.processes, two.launched) == (2, True)


def test_what_was_written_is_kept_and_what_was_not_is_left_out() -> None:
    assert "launch" not in config().to_dict()
    for launch in ({"processes": 1}, {"processes": 2}, {"accelerate_config": "gone.yaml"}):
        chosen = config(launch=launch)
        assert chosen.to_dict()["launch"] == launch
        assert RunConfig.from_yaml(chosen.to_yaml()) == chosen
    assert config(launch=None) == config()


def test_a_file_that_is_gone_spoils_no_record_of_a_run_that_named_it() -> None:
    chosen = config(launch={"accelerate_config": "gone.yaml"})
    assert chosen.launched and chosen.micro_batch == 8
    with pytest.raises(ConfigError) as fault:
        _ = chosen.processes
    assert (fault.value.code, fault.value.field) == ("launch.no-file", FIELD)


def test_a_relative_file_is_looked_for_beside_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, num_processes=4)
    text = "model: tiny-llama\ntask: text-generation\ndata: {name: sums}\nlaunch: {accelerate_config: cluster.yaml}\n"
    (tmp_path / "run.yaml").write_text(text)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert RunConfig.load(tmp_path / "run.yaml").processes == 4
    assert RunConfig.load(tmp_path / "run.yaml", ["launch={processes: 2}"]).processes == 2
    monkeypatch.chdir(tmp_path)
    assert RunConfig.from_yaml(text).processes == 4
    (tmp_path / "elsewhere" / "run.yaml").write_text(text)
    found = RunConfig.load(tmp_path / "elsewhere" / "run.yaml")
    assert found.launch and found.launch.accelerate_config == "cluster.yaml"


def test_an_update_adds_up_the_micro_batches_of_all_processes() -> None:
    training = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 10}
    several = Plan.of(config(training=training, launch={"processes": 3}), rows=100)
    assert several.effective_batch == 2 * 4 * 3
    # 100 = 4 × 24 + 4: four full windows, and four rows that three processes share
    assert (several.updates_per_epoch, several.last_window_examples) == (5, 4)
    alone = config(training=training, launch={"processes": 3}).in_one_process()
    assert (alone.processes, alone.accumulation_steps, alone.micro_batch) == (1, 12, 2)
    assert Plan.of(alone, rows=100).effective_batch == several.effective_batch
    assert "launch" not in alone.to_dict()
    assert config().in_one_process() == config()


def test_a_run_may_go_on_in_another_number_of_processes() -> None:
    check_continues(config(), config(launch={"processes": 2}))
    check_continues(config(launch={"processes": 2}), config(launch={"accelerate_config": "cluster.yaml"}))


# ---- the file ----


def test_a_file_says_how_many_processes_there_are_and_where(tmp_path: Path) -> None:
    path = written(tmp_path, num_processes=8, num_machines=2, machine_rank=1, mixed_precision="bf16")
    found = AccelerateFile.read(path)
    assert found == AccelerateFile(path, processes=8, machines=2, machine_rank=1, mixed_precision="bf16")
    assert found.processes_here == 4
    chosen = config(launch={"accelerate_config": path})
    assert (chosen.processes, chosen.launched) == (8, True)


def test_a_file_of_one_process_is_launched_too(tmp_path: Path) -> None:
    chosen = config(launch={"accelerate_config": written(tmp_path, distributed_type="NO", num_processes=1)})
    assert (chosen.processes, chosen.launched) == (1, True)


def test_processes_on_the_cpu(tmp_path: Path) -> None:
    assert AccelerateFile.read(written(tmp_path, distributed_type="MULTI_CPU")).use_cpu
    assert AccelerateFile.read(written(tmp_path, use_cpu="true")).use_cpu
    # YAML 1.1, by which accelerate reads, takes this word for true
    assert AccelerateFile.read(written(tmp_path, use_cpu="yes")).use_cpu
    assert not AccelerateFile.read(written(tmp_path, use_cpu=None)).use_cpu


def test_shards_by_the_second_version_of_fsdp(tmp_path: Path) -> None:
    found = AccelerateFile.read(written(tmp_path, distributed_type="FSDP", fsdp_config="{fsdp_version: 2}"))
    assert (found.sharded, found.fsdp_version) == (True, 2)
    for settings in ("{fsdp_version: 1}", "{fsdp_offload_params: true}", "{}", None):
        fault = fault_of(tmp_path, distributed_type="FSDP", fsdp_config=settings)
        assert fault.code == "launch.fsdp-version" and "fsdp_version: 2" in fault.remedy


@pytest.mark.parametrize("kind", ["DEEPSPEED", "MEGATRON_LM", "XLA", "TPU"])
def test_an_engine_that_accumulates_by_itself_is_refused_with_the_reason(tmp_path: Path, kind: str) -> None:
    fault = fault_of(tmp_path, distributed_type=kind, deepspeed_config="{gradient_accumulation_steps: 4}")
    assert fault.code == "launch.own-accumulation" and kind in fault.message and "accumulate" in fault.message


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"compute_environment": "AMAZON_SAGEMAKER"}, "environment", "LOCAL_MACHINE"),
        ({"distributed_type": "MULTI_NPU"}, "value", "MULTI_GPU"),
        ({"distributed_type": None}, "value", "null"),
        ({"distributed_type": "[FSDP]"}, "value", "FSDP"),
        ({"num_processes": None}, "no-processes", "num_processes"),
        ({"num_processes": 0}, "value", "num_processes"),
        ({"num_processes": -1}, "value", "-1"),
        ({"num_processes": "many"}, "value", "many"),
        ({"num_processes": "true"}, "value", "true"),
        ({"num_processes": 1025}, "value", "1024"),
        ({"num_processes": 3, "num_machines": 2}, "machines", "2"),
        ({"num_machines": 0}, "value", "num_machines"),
        ({"num_machines": 2, "machine_rank": 2}, "value", "machine_rank"),
        ({"distributed_type": "NO"}, "one-process", "MULTI_CPU"),
        ({"mixed_precision": "fp8"}, "value", "bf16"),
        ({"mixed_precision": "no"}, "quotes", "'no'"),
        ({"use_cpu": "perhaps"}, "value", "use_cpu"),
        ({"dynamo_config": "{dynamo_backend: INDUCTOR}"}, "compiled", "torch_compile"),
        ({"dynamo_backend": "inductor"}, "compiled", "torch_compile"),
        ({"parallelism_config": "{parallelism_config_tp_size: 2}"}, "part", "parallelism_config"),
        ({"mpirun_config": "{mpirun_hostfile: hosts}"}, "part", "mpirun_config"),
        ({"gradient_accumulation_steps": "auto"}, "value", "gradient_accumulation_steps"),
    ],
)
def test_a_file_by_which_no_run_could_go_says_why(
    tmp_path: Path, changes: dict[str, Any], code: str, words: str
) -> None:
    fault = fault_of(tmp_path, **changes)
    assert fault.code == f"launch.{code}" and words in fault.line


def test_sections_that_are_empty_say_nothing(tmp_path: Path) -> None:
    empty = {"deepspeed_config": "{}", "mpirun_config": "{}", "dynamo_config": "{dynamo_backend: 'NO'}"}
    assert AccelerateFile.read(written(tmp_path, **empty)).processes == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"- num_processes\n", "no-settings"),
        (b"", "no-settings"),
        (b"\x89PNG\xff\xfe", "no-settings"),
        (b"a: " + b"x" * 70_000, "no-settings"),
        (b"num_processes: [2\n", "syntax"),
        # a date to accelerate, and none
        (b"num_processes: 2\nmain_process_ip: 2026-13-45\n", "no-settings"),
        (b"num_processes: 2\nnum_processes: 4\n", "syntax"),
    ],
)
def test_what_is_no_file_of_settings_is_told(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as fault:
        AccelerateFile.read(path)
    assert (fault.value.code, fault.value.field) == (f"launch.{code}", FIELD)


@pytest.mark.parametrize("name", ["absent.yaml", ".", "/dev/zero", "a\0b"])
def test_what_is_no_file_is_not_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError) as fault:
        AccelerateFile.read(tmp_path / name)
    assert fault.value.code in ("launch.no-file", "launch.unreadable")


# ---- together ----


def test_the_files_precision_is_the_runs(tmp_path: Path) -> None:
    path = written(tmp_path, mixed_precision="bf16", distributed_type="MULTI_CPU")
    fault = refused(config(launch={"accelerate_config": path}))
    assert fault.code == "launch.precision" and "fp32" in fault.line and "training.bf16: true" in fault.remedy
    assert refused(config(launch={"accelerate_config": path}, training={"fp16": True})).code == "launch.precision"
    check_processes(config(launch={"accelerate_config": path}, training={"bf16": True}), own_files=True)
    # what accelerate writes where nothing was chosen
    unsaid = written(tmp_path, distributed_type="MULTI_CPU")
    check_processes(config(launch={"accelerate_config": unsaid}, training={"bf16": True}), own_files=True)


def test_the_files_accumulation_steps_are_the_runs(tmp_path: Path) -> None:
    path = written(tmp_path, distributed_type="MULTI_CPU", gradient_accumulation_steps=4)
    fault = refused(config(launch={"accelerate_config": path}))
    assert fault.code == "launch.accumulation" and "to 4" in fault.line and "to 1" in fault.line
    four = {"gradient_accumulation_steps": 4}
    check_processes(config(launch={"accelerate_config": path}, training=four), own_files=True)


def test_a_file_for_the_cpu_and_a_gpu_contradict_each_other(tmp_path: Path) -> None:
    path = written(tmp_path, distributed_type="MULTI_CPU")
    assert refused(config(launch={"accelerate_config": path}, device="cuda")).code == "launch.cpu"
    check_processes(config(launch={"accelerate_config": path}, device="cpu"), own_files=True)


def test_several_processes_halve_no_micro_batch() -> None:
    halving = {"auto_find_batch_size": True}
    fault = refused(config(launch={"processes": 2}, training=halving, device="cpu"))
    assert (fault.code, fault.field) == ("launch.halves", "training.auto_find_batch_size")
    check_processes(config(launch={"processes": 1}, training=halving))


def test_several_processes_share_no_one_gpu(machine: list[str]) -> None:
    machine[:] = ["cuda:0", "cuda:1", "cpu"]
    fault = refused(config(launch={"processes": 2}, device="cuda:1"))
    assert (fault.code, fault.field) == ("launch.one-device", "device") and "cuda:1" in fault.message
    check_processes(config(launch={"processes": 1}, device="cuda:1"))
    check_processes(config(launch={"processes": 2}, device="cuda"))


def test_each_process_on_gpus_has_one_of_its_own(machine: list[str], tmp_path: Path) -> None:
    machine[:] = ["cuda:0", "cuda:1", "cpu"]
    check_processes(config(launch={"processes": 2}))
    fault = refused(config(launch={"processes": 3}))
    assert (fault.code, fault.field) == ("launch.too-few-gpus", "launch.processes")
    assert "it has 2" in fault.message and "cpu" in fault.remedy
    check_processes(config(launch={"processes": 3}, device="cpu"))
    check_processes(config(launch={"processes": 3}, training={"use_cpu": True}))
    check_processes(
        config(launch={"accelerate_config": written(tmp_path, num_processes=3, use_cpu="true")}), own_files=True
    )
    # on two machines, of which this one has half
    here = written(tmp_path, num_processes=4, num_machines=2)
    check_processes(config(launch={"accelerate_config": here}), own_files=True)
    more = written(tmp_path, num_processes=6, num_machines=2)
    assert refused(config(launch={"accelerate_config": more})).field == FIELD


def test_a_machine_without_gpus_runs_several_processes_on_its_cpu(machine: list[str]) -> None:
    check_processes(config(launch={"processes": 4}))


def test_several_processes_share_no_gpu_of_a_mac(machine: list[str]) -> None:
    machine[:] = ["mps", "cpu"]
    for device in (None, "mps"):
        assert refused(config(launch={"processes": 2}, device=device)).code == "launch.mps"
    check_processes(config(launch={"processes": 2}, device="cpu"))


def test_a_file_for_the_cpu_leaves_the_gpus_alone(machine: list[str], tmp_path: Path) -> None:
    machine[:] = ["cuda:0", "cuda:1", "cpu"]
    # the launcher of several processes does not tell them so
    for changes in ({"distributed_type": "MULTI_CPU"}, {"use_cpu": "true"}):
        path = written(tmp_path, **changes)
        assert place.device_of(config(launch={"accelerate_config": path})).type == "cpu"
    assert place.device_of(config(launch={"accelerate_config": written(tmp_path)})).type == "cuda"
    assert place.device_of(config(launch={"processes": 2}, device="cpu")).type == "cpu"


# ---- who may name a file ----


def test_a_file_is_named_from_the_command_line_and_from_the_machines_own_page_alone(tmp_path: Path) -> None:
    chosen = config(launch={"accelerate_config": written(tmp_path, distributed_type="MULTI_CPU")})
    assert not page_is_own()
    for asked in (chosen, config(launch={"accelerate_config": "/etc/passwd"})):
        # the same words whether there is such a file or not
        assert refused(asked, own_files=False).code == "launch.elsewhere"
    checks.check(chosen, own_code=True)
    trust_page(own=True)
    try:
        checks.check(chosen)
    finally:
        trust_page(own=False)
    with pytest.raises(ConfigError):
        checks.check(chosen)


def test_a_number_of_processes_is_anybodys_to_choose(machine: list[str]) -> None:
    processes.check_processes(config(launch={"processes": 2}))


def test_the_file_of_another_machine_than_the_first_starts_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, num_machines=2, machine_rank=1)
    config = RunConfig.from_dict({**BASE, "device": "cpu", "launch": {"accelerate_config": file}})
    with pytest.raises(ConfigError) as refusal:
        check_processes(config, own_files=True)
    assert refusal.value.code == "launch.not-first"
    for name, value in {**dict.fromkeys(environment.TOGETHER, "1"), "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)
    check_processes(config, own_files=True)


def test_an_environment_that_says_in_part_that_there_are_several_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    with pytest.raises(ConfigError) as refusal:
        check_processes(RunConfig.from_dict(BASE))
    assert refusal.value.code == "launch.half-started"
    assert "LOCAL_RANK" in refusal.value.line


def test_a_file_that_has_gone_while_the_run_waited_fails_that_run_alone(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_CPU\nnum_processes: 2\nuse_cpu: true\n"
    )
    config = RunConfig.from_dict({**BASE, "launch": {"accelerate_config": str(file)}})
    store = Store(tmp_path / "home")
    try:
        run = store.create_run(config.to_dict())
        file.unlink()
        execute(store.run(run), store, Control())
        found = store.run(run)
        assert (found.state, found.code, found.values["exit"]) == ("failed", "launch.no-file", 2)
    finally:
        store.close()
