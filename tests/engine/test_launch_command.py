"""The line that starts the processes of a run."""

from pathlib import Path
from typing import Any

import pytest

from engine.config import RunConfig
from engine.launch import in_words, launch_command


def launched(**launch: Any) -> RunConfig:
    return RunConfig.from_dict(
        {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}, "launch": launch}
    )


def test_a_number_of_processes_is_all_that_a_person_need_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    said = in_words(launch_command(launched(processes=4), "engine.session.rank", ["--run", "7"]))
    assert said == (
        "accelerate launch --multi_gpu --num_processes 4 --num_machines 1 --mixed_precision no --dynamo_backend no "
        "--main_process_port 0 --num_cpu_threads_per_process 3 --module engine.session.rank --run 7"
    )


@pytest.mark.parametrize(("kind", "flag"), [("MULTI_CPU", "--multi_gpu "), ("MULTI_GPU", ""), ("FSDP", "")])
def test_a_file_says_the_rest(kind: str, flag: str, tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    version = "fsdp_config: {fsdp_version: 2}" if kind == "FSDP" else ""
    file.write_text(f"compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\nnum_processes: 2\n{version}\n")
    said = in_words(launch_command(launched(accelerate_config=str(file)), "engine.session.rank", ["--run", "7"]))
    assert said == f"accelerate launch {flag}--config_file {file} --module engine.session.rank --run 7"
