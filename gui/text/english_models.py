"""The words of the model's card and of what saves memory in English, a part of `gui.text.english`."""

from __future__ import annotations

MODELS: dict[str, str] = {
    # The card under the Model field
    "card.architecture": "{name}",
    "card.parameters.k": "{count} k parameters",
    "card.parameters.m": "{count} M parameters",
    "card.parameters.b": "{count} B parameters",
    "card.context": "{tokens} tokens",
    "card.licence": "{licence}",
    "card.chat": "with a chat template",
    "card.new-head": "new head for this task",
    "card.random": "random weights",
    "card.no-head": "no head for this task",
    "card.other-weights": "weights as {file}, which the page does not read",
    "card.own-code": "needs code of its own, which the page does not run",
    "card.quantized": "quantised, so that it can't be trained",
    "card.gated": "open only to those who asked for it",
    "card.elsewhere": "fetched from the Hub at Start",
    # Optimizer, device and what saves memory
    "form.optim": "Optimizer",
    "form.device": "Device",
    "form.device.auto": "by itself",
    "form.savers": "Memory savers",
    "form.checkpointing": "Recompute activations",
    "form.checkpointing.info": "gradient checkpointing: the same update, in more time",
    "form.freeze": "Frozen",
    "form.freeze.none": "nothing",
    "form.freeze.encoder": "the encoder: the head alone is trained",
    "form.lora": "LoRA: adapters beside frozen weights",
    "form.lora-r": "Rank",
    "form.lora-alpha": "Alpha",
    "form.lora-dropout": "Dropout",
    "form.quantization": "Load the weights in",
    "form.quantization.info": "with LoRA",
    "form.quantization.none": "full precision",
    "form.quantization.8bit": "8 bits",
    "form.quantization.4bit": "4 bits",
}
