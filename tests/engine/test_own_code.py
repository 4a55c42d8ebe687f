"""A loss and a Trainer from the user's own file."""

import json
from pathlib import Path

import pytest
import torch

from engine.config import RunConfig
from engine.errors import ConfigError
from engine.session import Session
from engine.store import Store
from engine.trainer.own_code import own_loss, own_trainer
from engine.trainer.trainer import AccumulatingTrainer
from tests.engine.test_cli import birikim

LOSSES = """
import torch

def summed(outputs, labels, num_items_in_batch):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    loss = torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100, reduction="sum")
    return loss / num_items_in_batch

def mean(outputs, labels):
    logits = outputs.logits[:, :-1].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels[:, 1:].flatten(), ignore_index=-100)

def lonely(outputs):
    return outputs.logits.sum()

class NoFunction:
    pass
"""

TRAINERS = """
from transformers import Trainer

class Mean(Trainer):
    loss_is_scaled_for_ga = False

class Old(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        return model(**inputs).loss

class Stranger:
    pass

class FewRows(Trainer):
    def get_train_dataloader(self):
        return []
"""

CONFIG = """
model: tiny-llama
task: text-generation
data: {name: sums, max_length: 32, eval_rows: 16}
training:
  per_device_train_batch_size: 2
  gradient_accumulation_steps: 4
  max_steps: 3
  learning_rate: 1.0e-3
  optim: sgd
  max_grad_norm: 0
  eval_strategy: steps
  eval_steps: 3
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "losses.py").write_text(LOSSES)
    (tmp_path / "trainers.py").write_text(TRAINERS)
    (tmp_path / "broken.py").write_text("raise RuntimeError('no licence')\n")
    return tmp_path


def test_a_loss_of_three_arguments_normalises_itself_and_one_of_two_does_not(files: Path) -> None:
    assert own_loss(f"{files}/losses.py:summed").normalised
    taken = own_loss(f"{files}/losses.py:mean")
    assert not taken.normalised
    logits = torch.zeros(1, 3, 4)
    output = type("Output", (), {"logits": logits})
    # uniform over 4: ln 4
    assert float(taken.call(output, torch.tensor([[1, 2, 3]]), num_items_in_batch=7)) == pytest.approx(1.3863, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("losses.py:lonely", "code.not-a-function"),
        ("losses.py:NoFunction", "code.not-a-function"),
        ("losses.py:absent", "code.no-name"),
        ("broken.py:loss", "code.fails"),
        ("absent.py:loss", "code.no-file"),
    ],
)
def test_a_loss_that_can_t_be_had_is_said_with_its_file(name: str, code: str, files: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        own_loss(f"{files}/{name}")
    assert (caught.value.code, caught.value.field) == (code, "loss")
    assert name.partition(":")[0] in caught.value.line


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Old", "code.signature"),
        ("FewRows", "code.replaced"),
        ("Stranger", "code.not-a-trainer"),
        ("absent", "code.no-name"),
    ],
)
def test_a_trainer_that_can_t_be_had_is_said(name: str, code: str, files: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        own_trainer(f"{files}/trainers.py:{name}")
    assert (caught.value.code, caught.value.field) == (code, "trainer")


def test_a_trainer_of_one_s_own_is_run_by_our_loop(files: Path) -> None:
    made = own_trainer(f"{files}/trainers.py:Mean")
    assert issubclass(made, AccumulatingTrainer) and made.loss_is_scaled_for_ga is False


def test_a_config_names_the_file_beside_it(files: Path) -> None:
    (files / "run.yaml").write_text(CONFIG + "loss: losses.py:summed\ntrainer: trainers.py:Mean\n")
    loaded = RunConfig.load(files / "run.yaml")
    assert loaded.loss == f"{files / 'losses.py'}:summed"
    assert loaded.trainer == f"{files / 'trainers.py'}:Mean"


@pytest.mark.slow
def test_runs_with_a_custom_loss_are_exact_or_say_that_they_are_a_mean_of_means(files: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    session = Session(store)
    session.start()
    try:
        found = {}
        for name in ("", "summed", "mean"):
            text = CONFIG + (f"loss: {files}/losses.py:{name}\n" if name else "")
            run = session.wait(session.submit(RunConfig.from_yaml(text), own_code=True), 120)
            assert run.state == "finished", run.message
            assert ("run.mean-of-means" in [notice["code"] for notice in store.notices(run.id)]) == (name == "mean")
            found[name] = ([update["loss"] for update in store.updates(run.id)], run.eval_loss)
        assert found["summed"][0] == pytest.approx(found[""][0], rel=1e-5)
        assert found["summed"][1] == pytest.approx(found[""][1], rel=1e-5)
        # sums are of uneven length, so that a mean of means is another number
        assert found["mean"][0] != pytest.approx(found[""][0], rel=1e-5)
        assert found["mean"][1] == pytest.approx(found[""][1], rel=1e-3)
    finally:
        session.close()
        store.close()


def test_own_code_is_refused_where_it_was_not_allowed_before_the_file_is_touched(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    try:
        for key in ("loss", "trainer"):
            with pytest.raises(ConfigError) as caught:
                Session(store).submit(RunConfig.from_yaml(CONFIG + f"{key}: /etc/passwd.py:name\n"))
            assert (caught.value.code, caught.value.field) == ("config.command-line-only", key)
        assert store.runs() == []
    finally:
        store.close()


@pytest.mark.slow
def test_a_smoothed_loss_and_one_of_one_s_own_are_no_perplexity(files: Path) -> None:
    config = files / "run.yaml"
    for more in ("", "  label_smoothing_factor: 0.3\n", f"loss: {files}/losses.py:summed\n"):
        config.write_text(CONFIG + more)
        found = json.loads(
            birikim("train", str(config), "--home", str(files / "home"), "--json").stdout.splitlines()[-1]
        )
        assert ("perplexity" in found["eval_metrics"]) == (not more)
