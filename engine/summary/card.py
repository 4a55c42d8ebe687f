"""The card of a trained model: what it is, what it was trained on and how, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from engine.config import RunConfig, yaml_text
from engine.hub import is_id
from engine.models.built_in import BUILT_IN
from engine.store import Store
from engine.summary.drawing import Line, drawn, number
from engine.summary.findings import Findings, duration

KNOWN = {
    "minilm": ("sentence-transformers/all-MiniLM-L6-v2", "apache-2.0"),
    "smollm2": ("HuggingFaceTB/SmolLM2-135M-Instruct", "apache-2.0"),
}
"""The Hub's name and the licence of the built-in models that are pretrained."""

WAYS = {
    "exact": "Each micro-batch's mean loss was weighted by its targets / the window's targets, so that the accumulated "
    "gradient is that of one large batch (exact accumulation).",
    "mean-of-means": "Each micro-batch counted alike: a mean of means, which is not the gradient of the large batch "
    "where micro-batches hold unlike numbers of targets.",
    "trainer": "Gradients were accumulated as the stock Trainer of transformers does it.",
    "own": "The loss, or the Trainer, is of the author's own.",
}

COLOURS = {
    "ink": "#17202a",
    "ink-soft": "#56626e",
    "grid": "#d5dce3",
    "training": "#0072b2",
    "evaluation": "#d55e00",
}

CLASSES = {
    "text-generation": "AutoModelForCausalLM",
    "text-classification": "AutoModelForSequenceClassification",
    "fill-mask": "AutoModelForMaskedLM",
    "token-classification": "AutoModelForTokenClassification",
    "text2text-generation": "AutoModelForSeq2SeqLM",
}


def write_card(store: Store, run: int, folder: Path) -> None:
    """Writes `README.md`, and beside it `loss.svg` where the run made an update.

    Nothing of this machine stands in it: of a file or a folder only the name.
    """
    found = Findings.of(store, store.run(run))
    picture = curve(found)
    if picture:
        (folder / "loss.svg").write_text(picture, encoding="utf-8")
    adapter = (folder / "adapter").is_dir()
    (folder / "README.md").write_text(card(found, picture=bool(picture), adapter=adapter), encoding="utf-8")


def curve(found: Findings) -> str:
    """The loss curve on white, as the text of an SVG; empty where there is none."""
    updates, evaluations = found.series["updates"], found.series["evaluations"]
    lines = [
        Line("training", "training", updates["update"], updates["loss"]),
        Line("evaluation", "evaluation", evaluations["update"], evaluations["loss"], markers=True),
    ]
    svg = drawn(lines, title="Loss", x_title="update", say=number, colour_of=COLOURS.__getitem__)
    return svg.replace("</title>", '</title><rect width="100%" height="100%" fill="#ffffff"/>', 1)


def card(found: Findings, *, picture: bool, adapter: bool) -> str:
    config, run = found.config, found.run
    base, licence = base_of(config)
    parts = [
        f"---\n{_front(found, base, licence)}---",
        f"# {_title(found)}",
        f"{_began(config, base)} for {config.task} on {_code(shown_source(config))}. {_dealt(found)} {WAYS[found.way]}",
        "## Results",
        _results(found),
    ]
    if picture:
        parts.append("![Training loss in blue, evaluation loss in orange, over updates](loss.svg)")
    parts += [
        "## Use",
        "```python\nfrom transformers import " + f"{CLASSES.get(config.task, 'AutoModel')}, AutoTokenizer\n\n"
        f'folder = "."  # this folder, or its name on the Hub\n'
        f"model = {CLASSES.get(config.task, 'AutoModel')}.from_pretrained(folder)\n"
        "tokenizer = AutoTokenizer.from_pretrained(folder)\n```",
    ]
    if adapter:
        parts.append("The adapters are merged into these weights; `adapter/` holds them by themselves, for peft.")
    parts += [
        "## Training",
        "The config of the run, for `birikim train`:",
        f"```yaml\n{shown_config(config)}```",
        f"Versions: {_versions(run.facts or {})}.",
    ]
    if licence is None:
        parts += ["## Licence", "Not stated here: that of the base model and of the data decide."]
    return "\n\n".join(parts) + "\n"


def _dealt(found: Findings) -> str:
    plan = found.run.plan
    if plan is None:
        return ""
    product = f"{plan['micro_batch']} × {plan['accumulation_steps']} × {plan['processes']}"
    return f"{found.run.update} updates of {plan['effective_batch']} examples ({product})."


def _began(config: RunConfig, base: str | None) -> str:
    if _pretrained(config):
        return f"Fine-tuned from {_code(base or shown_model(config.model))}"
    return f"Trained from random weights ({_code(config.model)})"


def base_of(config: RunConfig) -> tuple[str | None, str | None]:
    """The base model's name on the Hub and its licence, each where it is known."""
    if config.model in KNOWN:
        return KNOWN[config.model]
    return (config.model if _on_hub(config.model) else None), None


def _on_hub(model: str) -> bool:
    """Whether the name is an id and no folder; it may be gone by now, so that none is looked at."""
    return model not in BUILT_IN and is_id(model) and not Path(model).is_dir()


def _front(found: Findings, base: str | None, licence: str | None) -> str:
    config = found.config
    values: dict[str, Any] = {"library_name": "transformers", "pipeline_tag": config.task}
    if config.task == "text2text-generation":
        del values["pipeline_tag"]  # the Hub knows it no more
    if base:
        values["base_model"] = base
    if licence:
        values["license"] = licence
    values["tags"] = ["birikim", "gradient-accumulation", *(["lora"] if config.lora else [])]
    if config.data.hub:
        values["datasets"] = [config.data.hub]
    metrics = {"loss": found.run.eval_loss, **found.run.eval_metrics}
    measured = [
        {"type": name, "name": name, "value": round(value, 6)} for name, value in metrics.items() if value is not None
    ]
    if measured:
        result = {
            "task": {"type": config.task},
            "dataset": {"type": config.data.hub or "custom", "name": shown_source(config)},
            "metrics": measured,
        }
        values["model-index"] = [{"name": _title(found), "results": [result]}]
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


def _title(found: Findings) -> str:
    return " ".join(f"{shown_model(found.config.model)} · {found.config.task}".split())


def _results(found: Findings) -> str:
    run = found.run
    rows = [
        ("Training loss, last window", run.loss),
        ("Training loss, mean", found.mean_loss),
        ("Evaluation loss", run.eval_loss),
        *((f"Evaluation {name}", value) for name, value in run.eval_metrics.items()),
    ]
    lines = [f"| {name} | {value:.4f} |" for name, value in rows if value is not None]
    lines += [
        f"| Examples | {run.total_examples:,} |",
        f"| Targets | {run.total_targets:,} |",
        f"| Training time | {duration(run.seconds)} |",
    ]
    return "\n".join(["| | |", "|---|---:|", *lines])


def _versions(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())


def shown_config(config: RunConfig) -> str:
    """The YAML for others: files and folders by their own names, not by where they lay on this machine."""
    values = config.to_dict()
    values["model"] = shown_model(config.model)
    for key in ("path", "validation"):
        if values["data"].get(key):
            values["data"][key] = Path(values["data"][key]).name
    for key in ("loss", "trainer"):
        if values.get(key):
            values[key] = Path(values[key]).name
    if config.launch and config.launch.accelerate_config:
        values["launch"]["accelerate_config"] = Path(config.launch.accelerate_config).name
    return yaml_text.dump(values).replace("```", "")


def shown_source(config: RunConfig) -> str:
    """The data by their name, of a file or folder its own."""
    return config.data.name or config.data.hub or Path(config.data.path or "").name


def shown_model(model: str) -> str:
    """A folder by its own name alone."""
    return model if model in BUILT_IN or _on_hub(model) else Path(model).expanduser().absolute().name


def _pretrained(config: RunConfig) -> bool:
    return config.model not in BUILT_IN or BUILT_IN[config.model].package is not None


def _code(text: str) -> str:
    return "`" + text.replace("`", "'") + "`"
