"""What a config asks of packages, a compiler and the device, told before anything is loaded that takes long."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec

from engine.config import RunConfig
from engine.errors import ConfigError

BITSANDBYTES = ("bitsandbytes", "bitsandbytes")

_OPTIMIZERS: tuple[tuple[tuple[str, str], tuple[str, ...]], ...] = (
    (
        BITSANDBYTES,
        ("adamw_8bit", "adamw_bnb_8bit", "ademamix", "ademamix_8bit", "lion_8bit", "lion_32bit", "rmsprop_bnb",
         "rmsprop_bnb_8bit", "rmsprop_bnb_32bit", "paged_adamw_32bit", "paged_adamw_8bit", "paged_ademamix_32bit",
         "paged_ademamix_8bit", "paged_lion_32bit", "paged_lion_8bit"),
    ),
    (
        ("galore_torch", "galore-torch"),
        ("galore_adamw", "galore_adamw_8bit", "galore_adafactor", "galore_adamw_layerwise",
         "galore_adamw_8bit_layerwise", "galore_adafactor_layerwise"),
    ),
    (("apollo_torch", "apollo-torch"), ("apollo_adamw", "apollo_adamw_layerwise")),
    (("torchao", "torchao"), ("adamw_torch_4bit", "adamw_torch_8bit")),
    (("schedulefree", "schedulefree"), ("schedule_free_radam", "schedule_free_adamw", "schedule_free_sgd")),
    (("lomo_optim", "lomo-optim"), ("lomo", "adalomo")),
    (("grokadamw", "grokadamw"), ("grokadamw",)),
    (("optimi", "torch-optimi"), ("stable_adamw",)),
    (("torchdistx", "torchdistx"), ("adamw_anyprecision",)),
    (("torch_xla", "torch_xla"), ("adamw_torch_xla",)),
    (("torch_npu", "torch_npu"), ("adamw_torch_npu_fused",)),
)  # fmt: skip

OPTIMIZER_PACKAGES = {name: package for package, names in _OPTIMIZERS for name in names}
"""The optimizers that torch and transformers don't bring themselves → (module, what pip installs)."""

CUDA_ONLY = frozenset(
    {
        *(name for name in OPTIMIZER_PACKAGES if name.startswith("paged_")),
        "galore_adamw_8bit", "galore_adamw_8bit_layerwise", "adalomo",
    }
)  # fmt: skip
"""Optimizers whose packages do on an NVIDIA GPU alone what they are named for."""

COMPILERS = ("c++", "g++", "clang++")

BACKENDS = ("inductor", "eager", "aot_eager", "cudagraphs", "aot_ts_nvfuser", "nvprims_nvfuser")
"""Of torch.compile: the others are for other hardware, or import a package by its name."""

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def check_supported(config: RunConfig) -> None:
    """Raises ConfigError for a package that is not installed, a compiler that is not there, or a missing device.

    Looks packages up without importing them.
    """
    package = OPTIMIZER_PACKAGES.get(str(config.training.get("optim")))
    if package:
        _need(package, "training.optim")
    if config.setting("use_liger_kernel"):
        _need(("liger_kernel", "liger-kernel"), "training.use_liger_kernel")
    if config.quantization:
        _need(BITSANDBYTES, "quantization")
    _check_compile(config)
    _check_accumulation(config)
    if config.device not in (None, "cpu"):
        from engine.place import device_of

        device_of(config)


def quantizes() -> bool:
    """Whether weights can be loaded in fewer bits here."""
    return find_spec(BITSANDBYTES[0]) is not None


def steps_in_backward(optimizer: str) -> bool:
    """Whether the optimizer of this name changes the weights within every backward pass."""
    return optimizer in ("lomo", "adalomo") or optimizer.endswith("_layerwise")


def _need(package: tuple[str, str], field: str) -> None:
    module, name = package
    if find_spec(module) is None:
        raise ConfigError("training.needs-package", field=field, package=name)


def _check_accumulation(config: RunConfig) -> None:
    """Whether the optimizer lets a window's gradient add up: some step in the midst of every backward pass."""
    name = str(config.training.get("optim"))
    if config.accumulation_steps > 1 and steps_in_backward(name):
        raise ConfigError("training.steps-in-backward", field="training.optim", name=name)


def _check_compile(config: RunConfig) -> None:
    for key, choices in (("torch_compile_backend", BACKENDS), ("torch_compile_mode", MODES)):
        value = config.setting(key)
        if value is not None and value not in choices:
            raise ConfigError("config.choice", field=f"training.{key}", value=f"“{value}”", choices=", ".join(choices))
    compiles = config.setting("torch_compile") or config.setting("torch_compile_mode")
    backend = config.setting("torch_compile_backend") or ("inductor" if compiles else None)
    if backend == "inductor" and sys.platform != "win32":
        named = os.environ.get("CXX")
        if not any(shutil.which(compiler) for compiler in ([named] if named else COMPILERS)):
            raise ConfigError("training.needs-compiler", field="training.torch_compile")
