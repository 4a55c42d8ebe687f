"""What only the command line lets a model bring along: code of its own, and weights that are no safetensors."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine import trust as given
from engine.config import RunConfig
from engine.errors import ConfigError
from engine.models import check, load
from engine.trust import Trust, trust, trusted
from tests.engine.fake_hub import fake_hub
from tests.engine.test_models_folder import CLASSIFICATION, LABELS, TEXTS, model, tiny_bert  # noqa: F401

CODE = """
from transformers import BertConfig, BertForSequenceClassification

class Config(BertConfig):
    model_type = "own"

class Model(BertForSequenceClassification):
    config_class = Config
"""


@pytest.fixture(autouse=True)
def _none_given() -> Iterator[None]:
    yield
    trust(Trust())


@pytest.fixture
def own(model: Path) -> Path:  # noqa: F811
    """A model whose code lies beside its weights."""
    (model / "own.py").write_text(CODE)
    config = json.loads((model / "config.json").read_text())
    autos = {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"}
    (model / "config.json").write_text(json.dumps({**config, "model_type": "own", "auto_map": autos}))
    return model


@pytest.fixture
def pickled(model: Path) -> Path:  # noqa: F811
    """A model whose weights are a pickle."""
    torch.save(load_file(model / "model.safetensors"), model / "pytorch_model.bin")
    (model / "model.safetensors").unlink()
    return model


def loads(name: str | Path) -> str:
    found = load(str(name), CLASSIFICATION, labels=LABELS, texts=TEXTS, seed=1, cache=Path("/nowhere"))
    return type(found.model).__name__


def test_nothing_is_trusted_by_itself() -> None:
    assert trusted() == Trust(remote_code=False, pickle=False)
    fields = RunConfig.model_fields
    assert not any("trust" in name or "pickle" in name for name in fields)


def test_code_of_a_model_runs_only_where_the_command_line_says_so(own: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        loads(own)
    assert fault.value.code == "model.own-code" and "--trust-remote-code" in fault.value.line
    trust(Trust(remote_code=True))
    assert loads(own) == "Model"


def test_a_pickle_is_read_only_where_the_command_line_says_so(pickled: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        check(str(pickled), CLASSIFICATION)
    assert fault.value.code == "model.other-weights" and "--allow-pickle" in fault.value.line
    trust(Trust(remote_code=True))
    with pytest.raises(ConfigError):
        loads(pickled)
    trust(Trust(pickle=True))
    assert loads(pickled) == "BertForSequenceClassification"


def test_a_pickle_of_the_hub_is_fetched_where_it_is_let_in(pickled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_hub(monkeypatch, models={"ann/pickled": pickled}):
        trust(Trust(pickle=True))
        assert loads("ann/pickled") == "BertForSequenceClassification"


def test_no_config_and_no_page_can_give_it() -> None:
    base = {"model": "minilm", "task": CLASSIFICATION, "data": {"name": "sentiment"}}
    for values in ({"trust_remote_code": True}, {"training": {"trust_remote_code": True}}, {"allow_pickle": True}):
        with pytest.raises(ConfigError):
            RunConfig.from_dict({**base, **values})
    root = Path(given.__file__).parents[1]
    callers = {
        str(file.relative_to(root))
        for folder in ("engine", "gui")
        for file in (root / folder).rglob("*.py")
        if "trust(Trust(" in file.read_text(encoding="utf-8")
    }
    # a process that a session starts is told by its own command line what the session's was
    assert callers == {"engine/cli/common.py", "engine/session/rank.py"}


@pytest.mark.slow
def test_the_flags_train_such_a_model_and_a_second_run_needs_them_again(own: Path, tmp_path: Path) -> None:
    config = tmp_path / "own.yaml"
    config.write_text(
        f"{{model: {own}, task: {CLASSIFICATION}, data: {{name: sentiment, max_length: 32, eval_rows: 8}},"
        " training: {per_device_train_batch_size: 2, max_steps: 1}}"
    )
    command = [sys.executable, "-m", "engine", "train", str(config), "--home", str(tmp_path / "home")]
    given = subprocess.run([*command, "--trust-remote-code"], capture_output=True, text=True, timeout=240)
    assert given.returncode == 0, given.stderr
    without = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert without.returncode == 2 and "--trust-remote-code" in without.stderr
