"""A config's model without weights: its architecture alone, built on fake tensors."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import AutoConfig
from transformers.initialization import no_init_weights

from engine import datasets
from engine.config import RunConfig
from engine.errors import ConfigError, reason_of
from engine.models import BUILT_IN, check, hub_model
from engine.models.folder import INDEX, WEIGHTS
from engine.models.head import describe_head
from engine.models.names import Kind, kind_of
from engine.models.pretrained import has_head, in_body, unknown_architecture
from engine.models.quiet import quiet
from engine.proof.causes import parts_of
from engine.tasks import get_task
from engine.trust import trusted

Build = Callable[[Any], Any]


class Skeleton:
    """What is to be built: a transformers configuration and the class that it goes to.

    Made before any weight is there: a model from the Hub costs its configuration file, a model folder the one that
    lies there.

    Raises ConfigError as `engine.models.load`.
    """

    def __init__(self, config: RunConfig) -> None:
        check(config.model, config.task)
        self.name = config.model
        self.folder: Path | None = None
        rows = datasets.at_a_glance(config.data, config.task, seed=config.seed)
        with quiet():
            if config.model in BUILT_IN and BUILT_IN[config.model].package is None:
                self.build, self.config = _tiny(config, rows)
            else:
                self.folder = _folder(config.model)
                self.build, self.config = _pretrained(config, self.folder)
        problem_type = rows.problem_type if rows else config.data.problem_type
        if rows is not None or problem_type == "regression":
            describe_head(self.config, config.task, rows.labels if rows else None, problem_type)

    def model(self) -> Any:
        """The model in fp32, to be called where tensors are fake."""
        try:
            with quiet(), no_init_weights():
                model = self.build(self.config).train()
            model.tie_weights()
            if self.folder is not None:
                # so they come out of a file, also those that a model makes for itself and freezes
                for parameter in model.parameters():
                    parameter.requires_grad_(parameter.is_floating_point())
        except Exception as fault:
            raise ConfigError("model.broken", field="model", name=self.name, reason=reason_of(fault)) from fault
        return model

    def new_weights(self, model: Any) -> list[str]:
        """The weights of the head that no file holds; none where the files are not here."""
        folder = self.folder
        if folder is None:
            return []
        if (folder / INDEX).is_file():
            kept = set(json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"])
        elif (folder / WEIGHTS).is_file():
            with safe_open(folder / WEIGHTS, "pt") as file:
                kept = set(file.keys())
        else:
            return []
        return [name for name, _ in model.named_parameters() if name not in kept and not in_body(model, name)]


def _tiny(config: RunConfig, rows: datasets.Rows | None) -> tuple[Build, Any]:
    from engine.models import tiny

    described = tiny.CONFIGS[config.model](tiny.TOKENIZERS[config.model](rows.texts if rows else ()))
    if rows is None:
        described.vocab_size = tiny.VOCABULARY
    return tiny.HEADS_OF[config.model][config.task], described


def _pretrained(config: RunConfig, folder: Path) -> tuple[Build, Any]:
    name, task = config.model, config.task
    options: dict[str, Any] = {"trust_remote_code": trusted().remote_code}
    if folder.is_file():
        options["gguf_file"], folder = folder.name, folder.parent
    try:
        described = AutoConfig.from_pretrained(folder, **options)
    except Exception as error:
        raise unknown_architecture(error, name) from None
    auto = get_task(task).model_class()
    if not has_head(auto, described):
        raise ConfigError("model.no-head", field="task", name=name, task=task, architecture=described.model_type)
    text = described.get_text_config()
    if getattr(described, "pad_token_id", None) is None:
        described.pad_token_id = text.pad_token_id = 0
    if task == "text2text-generation" and getattr(described, "decoder_start_token_id", None) is None:
        described.decoder_start_token_id = described.pad_token_id
    if task == "text-generation" and getattr(described, "is_decoder", None) is False:
        described.is_decoder = not described.is_encoder_decoder
    _check_length(config, text)
    return partial(auto.from_config, dtype=torch.float32, trust_remote_code=trusted().remote_code), described


def _folder(name: str) -> Path:
    """Where the model's configuration lies; of a GGUF file the file itself."""
    kind = kind_of(name)
    if kind is Kind.HUB:
        return hub_model.fetch_configuration(name)
    if kind is Kind.FOLDER:
        return Path(name).expanduser()
    package = BUILT_IN[name].package
    assert package is not None
    return package.find()


def _check_length(config: RunConfig, text: Any) -> None:
    longest, wanted = getattr(text, "max_position_embeddings", None), config.data.max_length
    if longest is not None and 0 < longest < wanted:
        raise ConfigError("model.too-long", field="data.max_length", wanted=wanted, longest=longest)


def experts_of(described: Any) -> int | None:
    """Among how many experts a layer chooses, by a transformers configuration; None where it has none."""
    names = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
    found = (getattr(part, name, None) for part in parts_of(described) for name in names)
    return next((count for count in found if isinstance(count, int)), None)
