"""Every optimizer, schedule and precision that a config can name: it trains here, or is refused before it begins."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from engine import support
from engine.checks import check
from engine.config import RunConfig, training_fields
from engine.errors import ConfigError
from engine.place import device_of, devices
from engine.session.failure import told_of
from tests.engine.memory_windows import LLAMA, config_of, prepared

REFUSALS = {"training.needs-package", "training.needs-device", "training.steps-in-backward", "training.refused"}


def trained(folder: Path, **training: Any) -> ConfigError | None:
    """The fault that was told before the first update; None after two updates."""
    config = config_of(LLAMA, length=16, per_device_train_batch_size=2, **training)
    try:
        trainer = prepared(config, folder).trainer
    except ConfigError as fault:
        return fault
    trainer.train()
    assert trainer.state.global_step == 2
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", training_fields()["optim"].choices)
def test_every_optimizer_trains_or_is_refused_by_name(name: str, tmp_path: Path) -> None:
    more = {"optim_target_modules": "all-linear"} if name.startswith(("galore", "apollo")) else {}
    fault = trained(tmp_path, optim=name, **more)
    if fault is not None:
        assert fault.code in REFUSALS and fault.field == "training.optim"
        assert fault.code != "training.refused" or name in support.OPTIMIZER_PACKAGES


def test_the_table_of_packages_names_optimizers_of_the_library() -> None:
    choices = training_fields()["optim"].choices
    assert set(support.OPTIMIZER_PACKAGES) | support.CUDA_ONLY <= set(choices)
    own = set(choices) - set(support.OPTIMIZER_PACKAGES)
    assert own == {"adamw_torch", "adamw_torch_fused", "adafactor", "sgd", "adagrad", "rmsprop"}


@pytest.mark.slow
@pytest.mark.parametrize("name", training_fields()["lr_scheduler_type"].choices)
def test_every_schedule_trains_or_says_what_it_lacks(name: str, tmp_path: Path) -> None:
    fault = trained(tmp_path, lr_scheduler_type=name, warmup_steps=1, eval_strategy="epoch")
    if fault is None:
        return
    assert fault.code == "training.refused" and fault.field in (
        "training.lr_scheduler_kwargs", "training.lr_scheduler_type"
    )  # fmt: skip
    lacking = {"cosine_with_min_lr": {"min_lr": 1e-6}, "cosine_warmup_with_min_lr": {"min_lr": 1e-6}}
    lacking |= {"warmup_stable_decay": {"num_decay_steps": 1}}
    more = {"lr_scheduler_kwargs": lacking[name], "warmup_steps": 1, "eval_strategy": "epoch"}
    assert trained(tmp_path, lr_scheduler_type=name, **more) is None


@pytest.mark.parametrize(
    "training", [{"bf16": True}, {"fp16": True}, {"bf16_full_eval": True, "eval_strategy": "epoch"}]
)
def test_a_cpu_trains_in_half_precision(training: dict[str, Any], tmp_path: Path) -> None:
    assert trained(tmp_path, **{"use_cpu": False, **training} if not torch.cuda.is_available() else training) is None


def test_what_a_cpu_has_not_is_told_before_the_model_is_loaded(tmp_path: Path) -> None:
    fault = trained(tmp_path, tf32=True)
    assert fault is not None and (fault.code, fault.field) == ("training.needs-device", "training.tf32")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler")
def test_a_compiled_model_trains(tmp_path: Path) -> None:
    # in a process of its own: the compiler keeps workers as long as its process lives
    config = tmp_path / "compiled.yaml"
    config.write_text(config_of(LLAMA, length=16, per_device_train_batch_size=2, torch_compile=True).to_yaml())
    command = [sys.executable, "-m", "engine", "train", str(config), "--home", str(tmp_path / "home"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["updates"] == 2
    assert (tmp_path / "home" / "runs" / "1" / "model" / "model.safetensors").is_file()


def test_without_a_compiler_it_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support.shutil, "which", lambda name: None)
    with pytest.raises(ConfigError) as fault:
        check(config_of(LLAMA, torch_compile=True))
    assert (fault.value.code, fault.value.field) == ("training.needs-compiler", "training.torch_compile")
    check(config_of(LLAMA, torch_compile=True, torch_compile_backend="eager"))


def test_a_model_that_can_not_be_compiled_is_told_as_that() -> None:
    failure = type("InductorError", (RuntimeError,), {"__module__": "torch._inductor.exc"})("no code for it")
    assert told_of(failure).code == "run.compile"


# ---- the device ----


def on(device: Any, **training: Any) -> RunConfig:
    values = config_of(LLAMA, **{"use_cpu": False, **training}).to_dict()
    return RunConfig.from_dict({**values, "device": device})


def test_the_devices_that_are_here_are_listed_with_what_they_have() -> None:
    found = devices()
    assert found[-1]["id"] == "cpu" and all(each["bytes"] > 0 and each["name"] for each in found)


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "cuda:-1", "", 0, True, ["cpu"]])
def test_what_is_no_device_is_refused(device: Any) -> None:
    with pytest.raises(ConfigError) as fault:
        on(device)
    assert (fault.value.code, fault.value.field) == ("config.device", "device")


def test_a_device_that_is_not_here_is_told_with_those_that_are() -> None:
    with pytest.raises(ConfigError) as fault:
        check(on("cuda:77"))
    assert fault.value.code == "device.missing" and "cpu" in fault.value.remedy


def test_a_config_names_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert str(device_of(on(None))) == "cuda:0"
    assert str(device_of(on("cuda"))) == "cuda:0"
    assert str(device_of(on("cuda:1"))) == "cuda:1"
    assert str(device_of(on("cpu"))) == "cpu"
    assert str(device_of(on(None, use_cpu=True))) == "cpu"
    with pytest.raises(ConfigError) as fault:
        on("cuda:1", use_cpu=True)
    assert fault.value.code == "config.device-cpu"


@pytest.mark.gpu
def test_a_run_goes_where_it_is_told(tmp_path: Path) -> None:
    for name in ("cuda:0", "cpu"):
        trainer = prepared(on(name), tmp_path).trainer
        assert str(trainer.args.device) == str(trainer.accelerator.device) == name
        trainer.train()
        assert {str(weight.device) for weight in trainer.model.parameters()} == {name}
