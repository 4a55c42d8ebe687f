"""What a run's config accepts, refuses and keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import DataConfig, LaunchSpec, LoraSpec, RunConfig, default_home, training_fields
from engine.config.owned import OWNED
from engine.config.training import ABOVE_ZERO, AT_LEAST, AT_MOST, BELOW_ONE, RENAMED, SHARE_OR_WHOLE
from engine.errors import ConfigError

SUMS = "model: tiny-llama\ntask: text-generation\ndata: {name: sums}\n"


def training(text: str) -> dict[str, Any]:
    return RunConfig.from_yaml(f"{SUMS}training:\n  {text}\n").training


def test_the_default_is_the_embedded_first_run() -> None:
    config = RunConfig.default()
    assert (config.model, config.task) == ("minilm", "text-classification")
    assert config.data == DataConfig(name="stdlib-docstrings", max_length=128)
    assert (config.micro_batch, config.accumulation_steps, config.processes, config.seed) == (8, 4, 1, 42)
    assert config.training["learning_rate"] == 3e-4
    assert config.training["max_steps"] == 40
    assert (config.training["eval_strategy"], config.training["eval_steps"]) == ("steps", 10)
    assert config.training["warmup_steps"] > 0


def test_what_is_left_out_has_the_librarys_default() -> None:
    config = RunConfig.from_yaml(SUMS)
    assert config.training == {}
    assert (config.micro_batch, config.accumulation_steps, config.seed) == (8, 1, 42)
    assert config.setting("num_train_epochs") == 3.0
    assert config.loss_normalization == "exact"


def test_the_kind_of_the_labels_is_kept_where_it_is_said() -> None:
    said = RunConfig.from_yaml(
        "model: tiny-bert\ntask: text-classification\ndata: {name: reviews, problem_type: regression}\n"
    )
    assert said.to_dict()["data"] == {"name": "reviews", "problem_type": "regression", "max_length": 128}
    assert RunConfig.from_yaml(said.to_yaml()) == said
    assert "problem_type" not in RunConfig.from_yaml(SUMS).to_dict()["data"]


def test_a_training_part_with_nothing_below_it_is_empty() -> None:
    assert RunConfig.from_yaml(SUMS + "training:\n") == RunConfig.from_yaml(SUMS)


def test_the_designs_example_is_a_config() -> None:
    config = RunConfig.from_yaml("""
        model: minilm
        task: text-classification
        data: {name: stdlib-docstrings, max_length: 128}
        loss_normalization: exact
        training:
          per_device_train_batch_size: 8
          gradient_accumulation_steps: 4
          learning_rate: 1.0e-4
          max_steps: 40
        window_order: random
        micro_batch_tokens: null
        packing: false
        lora: {r: 8, alpha: 16, dropout: 0.0}
        memory_budget: null
        loss: null
        trainer: null
        launch: {processes: 1}
        sweep:
          method: grid
          fields: {training.learning_rate: [1e-5, 1e-4]}
    """)
    assert config.training == {
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 4,
        "learning_rate": 1e-4,
        "max_steps": 40,
    }
    assert config.lora == LoraSpec(r=8, alpha=16, dropout=0.0)


def test_an_adapter_has_a_usual_size_unless_told() -> None:
    assert RunConfig.from_yaml(SUMS).lora is None
    assert RunConfig.from_yaml(SUMS + "lora: null\n").lora is None
    assert RunConfig.from_yaml(SUMS + "lora: {}\n").lora == LoraSpec(r=8, alpha=16, dropout=0.0)
    config = RunConfig.from_yaml(SUMS + "lora: {r: 4.0, dropout: 0}\n")
    assert RunConfig.from_yaml(config.to_yaml()) == config
    assert config.to_dict()["lora"] == {"r": 4, "alpha": 16, "dropout": 0.0}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("learning_rate: 5e-5", 5e-5),
        ("learning_rate: 1.0e-4", 1e-4),
        ("learning_rate: +3E-4", 3e-4),
        ("learning_rate: .001", 0.001),
        ("learning_rate: 1", 1.0),
        ("eval_strategy: no", "no"),
        ("bf16: yes", True),
        ("bf16: off", False),
        ("bf16: True", True),
        ("seed: 010", 10),
        ("seed: 0x10", 16),
        ("max_steps: 1e2", 100),
        ("per_device_train_batch_size: 8.0", 8),
        ("max_steps: -1", -1),
        ("warmup_steps: 0.1", 0.1),
        ("tf32: null", None),
        ("tf32: ~", None),
        ("tf32:", None),
        ("run_name: 12:30:45", "12:30:45"),
        ("run_name: 2024-01-01", "2024-01-01"),
        ("run_name: on", "on"),
        ("lr_scheduler_kwargs: {num_cycles: 2}", {"num_cycles": 2}),
        ("optim_target_modules: [q_proj, v_proj]", ["q_proj", "v_proj"]),
        ("optim_target_modules: all-linear", "all-linear"),
    ],
)
def test_yaml_means_what_a_person_means(written: str, meant: object) -> None:
    (value,) = training(written).values()
    assert value == meant
    assert type(value) is type(meant) or isinstance(meant, float)


def test_the_deprecated_name_of_checkpointing_is_read_as_the_new_one() -> None:
    assert training("gradient_checkpointing: true") == {"activation_checkpointing": True}


def test_values_that_ask_for_nothing_are_accepted_and_left_out() -> None:
    assert training("report_to: none\n  push_to_hub: false\n  deepspeed: null\n  do_train: true") == {}


def test_a_data_file_and_a_model_folder_are_found_beside_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study" / "model").mkdir(parents=True)
    (tmp_path / "study" / "rows.csv").write_text("text\nhello\n")
    file = tmp_path / "study" / "run.yaml"
    file.write_text("model: ./model\ntask: text-generation\ndata: {path: rows.csv}\n")
    monkeypatch.chdir(tmp_path)
    config = RunConfig.load("study/run.yaml")
    assert Path(config.data.path or "").samefile(tmp_path / "study" / "rows.csv")
    assert Path(config.model).samefile(tmp_path / "study" / "model")


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_bytes(b"\xef\xbb\xbf" + SUMS.encode())
    assert RunConfig.load(tmp_path / "run.yaml").model == "tiny-llama"


def test_overrides_change_and_add_keys() -> None:
    config = RunConfig.from_yaml(
        SUMS, ["training.learning_rate=5e-5", "data.max_length = 32", "model=tiny-bert", "training.eval_strategy=no"]
    )
    assert config.training == {"learning_rate": 5e-5, "eval_strategy": "no"}
    assert (config.model, config.data.max_length) == ("tiny-bert", 32)


def test_an_override_can_change_the_source_of_the_data() -> None:
    config = RunConfig.from_yaml(SUMS, ["data={path: a=b.csv, text: body}"])
    assert (config.data.name, config.data.path, config.data.text) == (None, "a=b.csv", "body")


def test_an_override_leaves_the_values_given_alone() -> None:
    values = {"model": "m", "task": "t", "data": {"name": "sums"}}
    RunConfig.from_dict(values, ["data.max_length=9"])
    assert values == {"model": "m", "task": "t", "data": {"name": "sums"}}


def test_a_config_is_frozen() -> None:
    with pytest.raises(Exception, match="frozen"):
        RunConfig.default().model = "other"  # type: ignore[misc]


def test_the_home_folder_is_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIRIKIM_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.delenv("BIRIKIM_HOME")
    assert default_home() == Path.home() / ".birikim"


def test_reading_a_config_loads_no_training_library() -> None:
    code = (
        "import sys; from engine.config import RunConfig; RunConfig.default();"
        "sys.exit(bool({'torch', 'transformers', 'gradio'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_the_fields_read_from_source_are_those_of_the_class() -> None:
    from dataclasses import MISSING, fields

    from transformers import TrainingArguments

    real = {field.name: field for field in fields(TrainingArguments)}
    assert list(training_fields()) == list(real)
    for name, field in training_fields().items():
        if field.default is not None:
            assert field.default == real[name].default
        elif real[name].default not in (None, MISSING):
            assert name == "optim"  # the one default that the source computes


def test_every_accepted_field_has_a_type_that_is_checked() -> None:
    assert [name for name, field in training_fields().items() if not field.kinds - {"None"} and name not in OWNED] == []


def test_the_tables_name_fields_that_exist() -> None:
    named = {*OWNED, *RENAMED, *RENAMED.values(), *AT_LEAST, *AT_MOST, *ABOVE_ZERO, *BELOW_ONE, *SHARE_OR_WHOLE}
    assert named <= set(training_fields())


# ---- for every config ----

WORDS = st.text(min_size=1) | st.sampled_from(["no", "5e-5", "010", "null", "true", "1:30", "~", "on", "\x85", "a\n b"])
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def data_parts(draw: st.DrawFn) -> dict[str, Any]:
    source = draw(st.sampled_from(["name", "path", "hub"]))
    part = {source: draw(WORDS), "max_length": draw(st.integers(2, 4096))}
    for key in ("text", "label", *(("config", "split") if source == "hub" else ())):
        if draw(st.booleans()):
            part[key] = draw(WORDS)
    return part


CONFIGS = st.fixed_dictionaries(
    {
        "model": WORDS,
        "task": WORDS,
        "data": data_parts(),
        "loss_normalization": st.sampled_from(["exact", "mean-of-means", "trainer"]),
        "training": st.fixed_dictionaries(
            {},
            optional={
                "per_device_train_batch_size": st.integers(1, 1000),
                "learning_rate": st.floats(1e-300, 1e9),
                "max_steps": st.just(-1) | st.integers(1, 2**31 - 1),
                "tf32": st.none() | st.booleans(),
                "run_name": WORDS,
                "optim_target_modules": st.lists(WORDS),
                "lr_scheduler_kwargs": st.dictionaries(WORDS, PLAIN, max_size=3),
                "lr_scheduler_type": st.sampled_from(["linear", "cosine"]),
            },
        ),
    }
)


@pytest.mark.slow
@given(CONFIGS)
def test_every_config_survives_yaml_and_back(values: dict[str, Any]) -> None:
    config = RunConfig.from_dict(values)
    assert RunConfig.from_yaml(config.to_yaml()) == config
    assert RunConfig.from_dict(config.to_dict()).to_dict() == config.to_dict()


KEYS = (
    st.sampled_from(
        [*RunConfig.model_fields, *DataConfig.model_fields, *LoraSpec.model_fields, *LaunchSpec.model_fields, "sweep"]
    )
    | WORDS
)
FIELDS = st.sampled_from(list(training_fields())) | WORDS
ANYTHING = st.dictionaries(
    KEYS, PLAIN | st.dictionaries(KEYS, PLAIN, max_size=4) | st.dictionaries(FIELDS, PLAIN, max_size=6), max_size=6
)


@pytest.mark.slow
@given(ANYTHING)
def test_whatever_is_written_gives_a_config_or_one_clear_line(values: dict[str, Any]) -> None:
    base = {"model": "m", "task": "t", "data": {"name": "sums"}}
    try:
        RunConfig.from_dict({**base, **values})
    except ConfigError as error:
        assert error.field
        assert "\n" not in error.line
        assert any(error.field.startswith(key) for key in {**base, **values})


@given(st.text() | st.text(alphabet=":-[]{}\"'&*!|>#%@`, \nab\t?~0"))
def test_whatever_text_is_read_gives_values_or_one_clear_line(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_yaml(text)
    assert "\n" not in caught.value.line
