"""The form shows a config and writes only what was changed in it."""

from __future__ import annotations

from typing import Any

import pytest

from engine import ConfigError, RunConfig
from gui import form

DEFAULT = RunConfig.default().to_dict()


def changed(base: dict[str, Any] = DEFAULT, /, **fields: Any) -> dict[str, Any]:
    """`base` after the form that shows it was changed in `fields` (underscores for hyphens)."""
    shown = form.show(RunConfig.from_dict(base))
    return form.merge({**shown, **{name.replace("_", "-"): value for name, value in fields.items()}}, base)


def test_a_form_that_nobody_touched_is_the_config_that_it_shows() -> None:
    assert changed() == DEFAULT


def test_every_field_of_the_default_config_is_shown() -> None:
    shown = form.show(RunConfig.default())
    assert [shown[name] for name in ("model", "data", "task", "micro-batch", "accumulation-steps")] == [
        "minilm",
        "stdlib-docstrings",
        "text-classification",
        8,
        4,
    ]
    assert (shown["length"], shown["length-kind"], shown["eval-every"], shown["precision"]) == (
        40,
        "updates",
        10,
        "fp32",
    )


@pytest.mark.parametrize(
    ("field", "value", "place", "written"),
    [
        ("model", " tiny-bert ", ("model",), "tiny-bert"),
        ("micro_batch", 3.0, ("training", "per_device_train_batch_size"), 3),
        ("accumulation_steps", 16, ("training", "gradient_accumulation_steps"), 16),
        ("learning_rate", 3e-5, ("training", "learning_rate"), 3e-5),
        ("eval_every", 5, ("training", "eval_steps"), 5),
        ("precision", "bf16", ("training", "bf16"), True),
        ("max_length", 64, ("data", "max_length"), 64),
        ("normalization", "mean-of-means", ("loss_normalization",), "mean-of-means"),
        ("window_order", "sorted", ("window_order",), "sorted"),
        ("micro_batch_tokens", 512.0, ("micro_batch_tokens",), 512),
    ],
)
def test_a_changed_field_is_written_where_it_belongs(
    field: str, value: Any, place: tuple[str, ...], written: Any
) -> None:
    config: Any = changed(**{field: value})
    RunConfig.from_dict(config)
    for key in place:
        config = config[key]
    assert config == written


def test_packing_and_order_go_back_to_what_is_unset() -> None:
    base = {**DEFAULT, "task": "text-generation", "model": "tiny-llama", "data": {"name": "sums"}}
    packed = changed(base, packing=True, window_order="random", micro_batch_tokens=256)
    assert (packed["packing"], packed["window_order"], packed["micro_batch_tokens"]) == (True, "random", 256)
    for nothing in (None, 0):
        assert changed(packed, packing=False, window_order="auto", micro_batch_tokens=nothing) == base


def test_packing_for_another_task_is_told_about_its_box() -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict(changed(packing=True))
    assert form.element_of(caught.value.field) == "packing"


def test_a_length_in_epochs_takes_the_place_of_one_in_updates() -> None:
    training = changed(length_kind="epochs", length=2)["training"]
    assert training["num_train_epochs"] == 2
    assert "max_steps" not in training


def test_evaluation_every_zero_updates_is_none_at_all() -> None:
    training = changed(eval_every=0)["training"]
    assert training["eval_strategy"] == "no"
    assert "eval_steps" not in training


def test_what_happens_during_a_run_is_written_and_read_back() -> None:
    during = changed(patience=3, save_every=20, save_limit=2, sample_every=5, prompts="Once\n\n  two⏎lines \n")
    assert during["early_stopping"] == {"patience": 3}
    training = during["training"]
    assert [training[key] for key in ("save_strategy", "save_steps", "save_total_limit")] == ["steps", 20, 2]
    samples = during["samples"]
    assert (samples["every"], samples["rows"], samples["prompts"]) == (5, 4, ["Once", "  two\nlines"])
    read = RunConfig.from_dict(during)
    shown = form.show(read)
    assert [shown[name] for name in ("patience", "save-every", "save-limit")] == [3, 20, 2]
    assert [shown[name] for name in ("sampling", "sample-every", "prompts")] == [True, 5, "Once\n  two⏎lines"]
    assert changed(read.to_dict()) == read.to_dict()


def test_what_happens_during_a_run_is_turned_off_by_zero_or_by_its_box() -> None:
    base = changed(patience=3, save_every=20, save_limit=2, prompts="Once")
    off = changed(base, patience=0, save_every=0, save_limit=0, sampling=False, prompts="Never")
    assert "early_stopping" not in off and "samples" not in off
    assert off["training"] == {**DEFAULT["training"], "save_strategy": "no"}
    emptied = changed(base, patience=None, save_limit=None, prompts="")
    assert "early_stopping" not in emptied and "save_total_limit" not in emptied["training"]
    assert RunConfig.from_dict(emptied).samples == RunConfig.default().samples
    on = changed(off, sampling=True)
    assert on["samples"] == {} and form.show(RunConfig.from_dict(on))["sample-every"] == 10


def test_early_stopping_keeps_the_threshold_that_only_yaml_holds() -> None:
    base = {**DEFAULT, "early_stopping": {"patience": 2, "threshold": 0.1}}
    assert changed(base, patience=4)["early_stopping"] == {"patience": 4, "threshold": 0.1}


def test_early_stopping_without_evaluations_is_told_about_its_field() -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict(changed(eval_every=0, patience=2))
    assert form.element_of(caught.value.field) == "patience"


def test_what_the_form_can_not_show_stays_as_it_was_written() -> None:
    base = {**DEFAULT, "training": {**DEFAULT["training"], "eval_strategy": "epoch", "adam_beta2": 0.95}}
    del base["training"]["eval_steps"]
    result = changed(base, micro_batch=2)
    assert result["training"]["eval_strategy"] == "epoch"
    assert result["training"]["adam_beta2"] == 0.95


def test_other_data_drops_the_columns_of_the_data_before() -> None:
    own = changed(data="reviews.csv", text="review", label="stars")
    assert own["data"] == {"path": "reviews.csv", "max_length": 128, "text": "review", "label": "stars"}
    own["data"]["problem_type"] = "multi_label_classification"
    back = changed(own, data="sentiment")
    assert back["data"] == {"name": "sentiment", "max_length": 128}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sums", "name"),
        ("reviews.csv", "path"),
        ("./rows", "path"),
        ("~/rows.jsonl", "path"),
        ("/data/rows", "path"),
        ("stanfordnlp/imdb", "hub"),
        ("imdb", "hub"),
    ],
)
def test_data_is_a_name_a_file_or_a_hub_id(text: str, kind: str) -> None:
    assert form.source_of(text) == kind


def test_an_emptied_field_is_named_and_not_sent_as_nothing() -> None:
    with pytest.raises(form.EmptyField) as caught:
        changed(micro_batch=None)
    assert caught.value.field.name == "micro-batch"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("micro_batch", 0),
        ("micro_batch", 2.5),
        ("learning_rate", -1),
        ("max_length", "<img>"),
        ("micro_batch_tokens", -1),
        ("patience", -1),
        ("save_every", -5),
        ("save_limit", 1.5),
        ("sample_every", 0),
        ("prompts", "a\n" * 17),
    ],
)
def test_a_wrong_value_is_told_about_the_field_that_holds_it(field: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict(changed(**{field: value}))
    assert form.element_of(caught.value.field) == field.replace("_", "-")


def test_a_setting_without_a_field_is_looked_for_in_the_yaml_pane() -> None:
    assert form.element_of("training.adam_beta2") == "yaml"
    assert form.element_of("data.hub") == "data"
    assert form.element_of(None) is None
