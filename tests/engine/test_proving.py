"""A proof in the background thread, beside the runs."""

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from engine import datasets
from engine.config import ProofRequest, RunConfig
from engine.errors import ConfigError
from engine.session import Session
from engine.store import Store
from tests.engine.store_runs import back_to_format_4

CONFIG: dict[str, Any] = {
    "model": "tiny-bert",
    "task": "text-classification",
    "data": {"name": "sentiment", "max_length": 32, "eval_rows": 8},
    "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "max_steps": 2},
}


def config(**changes: Any) -> RunConfig:
    return RunConfig.from_dict({**CONFIG, **changes})


@pytest.mark.slow
def test_a_proof_takes_its_turn_and_leaves_its_result_and_no_run(session: Session) -> None:
    store = session.store
    request = ProofRequest(plans=((1, 8), (8, 1)), updates=3)
    first, proof, last = session.submit(config()), session.prove(config(), request), session.submit(config())
    ended = [session.wait(run, 120) for run in (first, proof, last)]
    assert [run.state for run in ended] == ["finished"] * 3
    assert ended[0].ended <= ended[1].started and ended[1].ended <= ended[2].started
    assert [run.id for run in store.runs()] == [last, first]
    assert [run.id for run in store.runs("proof")] == [proof]
    number, result = store.result(proof)
    assert result["plans"] == [[2, 4], [1, 8], [8, 1]]
    assert result["proof"]["tolerance"] == 1e-5
    assert [said["code"] for said in result["verdict"]] == ["proof.exact", "proof.trainer-scaled", "proof.means-exact"]
    ways = {(tuple(way["plan"]), way["name"]): way for way in result["proof"]["ways"]}
    assert ways[(1, 8), "trainer"]["norm_ratio"] == pytest.approx(8.0, rel=1e-3)
    # the large batch is what the curves are measured by; the stock Trainer's clipped steps are not its
    drawn = {(tuple(curve["plan"]), curve["normalization"]): curve for curve in result["curves"]}
    assert next(iter(drawn)) == ((8, 1), "exact")
    assert all(len(curve["losses"]) == 3 for curve in drawn.values())
    assert drawn[(1, 8), "exact"]["apart"] < 1e-4 and drawn[(2, 4), "trainer"]["apart"] > 0.5
    assert store.result(proof, number) == (number, None)
    assert not (store.home / "runs" / str(proof)).exists()


@pytest.mark.slow
def test_the_window_of_several_processes_is_proved_in_one(session: Session) -> None:
    several = config(launch={"processes": 2}, device="cpu")
    proof = session.prove(several, ProofRequest(plans=((16, 1),)))
    assert session.wait(proof, 120).state == "finished"
    assert session.store.result(proof)[1]["plans"] == [[2, 8], [16, 1]]
    assert session.store.result(proof)[1]["proof"]["rows"] == 2 * 4 * 2
    with pytest.raises(ConfigError) as caught:
        session.prove(several, ProofRequest(plans=((8, 1),)))
    assert caught.value.code == "proof.other-window" and caught.value.values["rows"] == 16


def test_a_proof_that_is_stopped_keeps_what_it_has_found(session: Session) -> None:
    store = session.store
    proof = session.prove(config(), ProofRequest(updates=200))
    deadline = time.monotonic() + 60
    while store.result(proof)[0] < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    session.command(proof, "stop")
    assert session.wait(proof, 60).state == "stopped"
    number, result = store.result(proof)
    assert number >= 3 and result["proof"]["ways"]


def test_a_proof_of_what_can_t_be_loaded_fails_in_words(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any, **__: Any) -> Any:
        raise ConfigError("data.no-file", field="data.path", path="rows.csv")

    monkeypatch.setattr(datasets, "load", gone)
    proof = session.wait(session.prove(config(), ProofRequest()), 60)
    assert (proof.state, proof.code) == ("failed", "data.no-file")


def test_what_is_no_request_or_another_window_is_refused_at_once(session: Session) -> None:
    for plans in (((3, 3),), ((0, 8),), ((8, 2),)):
        with pytest.raises(ConfigError) as caught:
            session.prove(config(), ProofRequest(plans=plans))
        assert caught.value.code == "proof.other-window"
    with pytest.raises(ConfigError):
        session.prove(config(loss="x.py:loss"), ProofRequest())
    assert session.store.runs("proof") == []


@pytest.mark.parametrize(
    "values",
    [None, [], {"plans": 3}, {"plans": [[1]]}, {"plans": [["1", 8]]}, {"plans": [[True, 8]]}, {"precision": "bf16"},
     {"updates": -1}, {"updates": 10**6}, {"updates": "3"}, {"plans": [[1, 8]] * 13}, {"plans": [[2**70, 1]]},
     {"precision": ["fp32"]}],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_refused_in_words(values: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        ProofRequest.from_dict(values)
    assert caught.value.code == "proof.request"


def test_a_request_reads_back_as_it_was_written() -> None:
    request = ProofRequest(plans=((1, 8), (4, 2)), precision="fp64", updates=5)
    assert ProofRequest.from_dict(request.to_dict()) == request
    assert request.plans_for(config()) == [(2, 4), (1, 8), (4, 2)]


def test_a_home_of_the_format_before_opens_with_its_runs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = store.create_run({"model": "minilm"}, name="old")
    store.close()
    with sqlite3.connect(tmp_path / "birikim.sqlite") as db:
        back_to_format_4(db)
        db.execute("DROP VIEW summaries")
        db.execute("DROP TABLE samples")
        db.execute("DROP TABLE seen")
        for column in ("kind", "request", "result", "results"):
            db.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        db.execute("CREATE VIEW summaries AS SELECT * FROM runs")
        db.execute("PRAGMA user_version = 1")
    db.close()
    store = Store(tmp_path)
    try:
        [found] = store.runs()
        assert (found.id, found.name, found.kind, found.config) == (run, "old", "train", {"model": "minilm"})
    finally:
        store.close()
