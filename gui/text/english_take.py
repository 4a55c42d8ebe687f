"""The words of what is taken away from a run in English, a part of `gui.text.english`."""

from __future__ import annotations

TAKE: dict[str, str] = {
    "take.title": "Take it away",
    "take.model": "Model",
    "take.model.about": "A transformers folder in a zip: weights, tokenizer and model card; LoRA is merged in",
    "take.adapter": "Adapter",
    "take.adapter.about": "The LoRA adapter by itself, for peft",
    "take.script": "Script",
    "take.script.about": "Plain Python with the stock Trainer that makes the same losses without Birikim; rows and "
    "initial weights lie in the zip",
    "take.notebook": "Notebook",
    "take.notebook.about": "The script as a notebook, with a text before each step",
    "take.run": "Run",
    "take.run.about": "All that was recorded, to be imported in the Runs tab of another home; without weights and "
    "checkpoints",
    "take.yaml": "YAML",
    "take.yaml.about": "The config of the run",
    "take.csv": "CSV",
    "take.csv.about": "The metrics, a line an update",
    "take.parquet": "Parquet",
    "take.parquet.about": "The metrics in columns",
    "take.html": "Report",
    "take.html.about": "One HTML file with charts, config and results; it opens without a network",
    "take.working": "writing…",
    "take.done": "{name} · {size}",
    "take.line": "Through accelerate",
    "take.copy": "Copy",
    "take.copied": "Copied",
    "take.hub": "To the Hub: birikim push {run} owner/name, on the command line, with the token of that machine.",
    "take.lost": "The program does not answer.",
}
