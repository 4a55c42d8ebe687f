"""A preview shows data as a run would see it, before anything is trained."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import Session, Store
from engine.accumulation import deal, positions
from engine.config import DataConfig, RunConfig
from engine.models.tiny import llama_tokenizer
from engine.previews.guess import guesses
from engine.previews.preview import preview
from engine.previews.question import previewed
from tests.engine.fake_hub import fake_hub


def config_of(
    data: dict[str, Any], task: str = "text-classification", model: str = "tiny-bert", **others: Any
) -> RunConfig:
    training = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "max_steps": 3, "seed": 1}
    return RunConfig.from_dict({"model": model, "task": task, "data": data, "training": training, **others})


def put(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def reviews(folder: Path) -> str:
    rows = "id,review,stars\n" + "".join(
        f"{n},{'word ' * (3 + n % 30)}{n},{'good' if n % 4 else 'bad'}\n" for n in range(100)
    )
    return put(folder, "reviews.csv", rows + "100,,bad\n0,word word word 0,bad\n")


def test_a_table_is_shown_with_its_columns_and_what_they_could_be(tmp_path: Path) -> None:
    found = preview(config_of({"path": reviews(tmp_path)}), cache=tmp_path)
    assert found["first"]["columns"] == ["id", "review", "stars"]
    assert found["first"]["rows"][0] == {"place": "line 2", "cells": ["0", "word word word 0", "bad"]}
    roles = {column["name"]: (column["role"], column["why"]) for column in found["columns"]}
    assert roles == {"id": (None, None), "review": ("text", "name"), "stars": ("label", "name")}
    # the columns are not named yet: what is missing is said, and what is known is there
    assert found["fault"]["code"] == "data.no-column" and found["fault"]["field"] == "data.text"
    assert found["lengths"] is None


def test_columns_without_telling_names_are_guessed_by_what_is_in_them(tmp_path: Path) -> None:
    rows = "a,b,c\n" + "".join(f"{n},{'yes' if n % 2 else 'no'},a longer text of {n} words\n" for n in range(50))
    found = preview(config_of({"path": put(tmp_path, "rows.csv", rows)}), cache=tmp_path)
    roles = {column["name"]: (column["role"], column["why"]) for column in found["columns"]}
    assert roles == {"a": (None, None), "b": ("label", "few"), "c": ("text", "longest")}


def test_conversations_are_guessed_where_the_config_names_a_text_that_is_not_there() -> None:
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    rows = [["a long name of a row", talk]] * 3
    found = guesses(["id", "messages"], rows, DataConfig(path="talks.jsonl", text="text"), "text-generation")
    assert [(one.name, one.role, one.why) for one in found] == [("id", None, None), ("messages", "messages", "turns")]


def test_lengths_classes_padding_and_notices_are_those_of_the_run(tmp_path: Path) -> None:
    config = config_of(
        {"path": reviews(tmp_path), "text": "review", "label": "stars", "max_length": 16, "eval_rows": 20}
    )
    found = preview(config, cache=tmp_path)
    assert found["fault"] is None
    assert found["rows"] == {"train": 81, "evaluation": 20}
    classes = found["classes"]
    assert classes["names"] == ["good", "bad"]
    # 75 good and 26 bad, the repeated row among them; a fifth held out of each
    assert [a + b for a, b in zip(classes["train"], classes["evaluation"], strict=True)] == [75, 26]
    assert sum(found["lengths"]["counts"]) == found["lengths"]["rows"] == 81
    assert 0 < found["lengths"]["over"] < 81 and found["lengths"]["longest"] > 16 >= found["lengths"]["median"] - 16
    codes = [notice["code"] for notice in found["notices"]]
    assert codes[0] == "data.empty-rows"
    sorted_share, as_it_comes = found["padding"]["share"], found["padding"]["other"]
    assert found["padding"]["order"] == "sorted" and 0 < sorted_share < as_it_comes < 1


def test_the_share_of_padding_is_what_the_deal_makes_of_the_rows(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.txt", "\n".join("word " * (1 + n % 7) for n in range(16)))
    data = {"path": path, "max_length": 32, "eval_rows": 1}
    config = config_of(data, "text-generation", "tiny-llama", micro_batch_tokens=24, window_order="random")
    found = preview(config, cache=tmp_path, load=lambda name, **_: llama_tokenizer(["word"] * 9))

    from engine.datasets import load
    from engine.previews.tokens import sample_of
    from engine.tasks import get_task

    rows = load(config.data, config.task, seed=1, cache=tmp_path)
    task = get_task(config.task)
    widths = [task.widths(row) for row in task.encode(sample_of(rows, 1), llama_tokenizer(["word"] * 9), 32)]
    taken = 0
    for start in (0, 8):
        window = widths[start : start + 8]
        taken += sum(positions([window[row] for row in each]) for each in deal(window, micro_batch=4, tokens=24))
    assert found["padding"]["share"] == pytest.approx(1 - sum(map(sum, widths)) / taken)
    assert found["padding"]["settled"] is True


def targets(example: dict[str, Any], part: int = 0) -> str:
    return "".join(token["text"] for token in example["parts"][part]["tokens"] if token["target"])


def whole(example: dict[str, Any], part: int = 0) -> str:
    return "".join(token["text"] for token in example["parts"][part]["tokens"])


def test_rows_are_read_back_with_their_targets_marked(tmp_path: Path) -> None:
    rows = [{"prompt": f"Kaç eder: {n} + 1 =", "completion": f" {n + 1} çıkar"} for n in range(10)]
    path = put(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, rows)))
    found = preview(config_of({"path": path, "eval_rows": 1}, "text-generation", "tiny-llama"), cache=tmp_path)
    assert len(found["examples"]) == 3
    for example in found["examples"]:
        text = whole(example)
        assert text.startswith("Kaç eder: ") and text.endswith(" çıkar</s>")
        assert targets(example) == text.partition("=")[2]
    assert {column["role"] for column in found["columns"]} == {"prompt", "completion"}


def test_the_first_token_of_a_text_is_no_target(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.txt", "ılık su\nsoğuk su\nsıcak su")
    found = preview(config_of({"path": path, "eval_rows": 1}, "text-generation", "tiny-llama"), cache=tmp_path)
    for example in found["examples"]:
        flags = [token["target"] for token in example["parts"][0]["tokens"]]
        assert flags == [False] + [True] * (len(flags) - 1)
        assert whole(example).endswith(" su</s>")


@pytest.mark.slow
def test_every_task_marks_its_own_targets(tmp_path: Path) -> None:
    masked = preview(config_of({"name": "sums"}, "fill-mask"), cache=tmp_path)["examples"]
    assert all("[MASK]" in whole(example) or targets(example) for example in masked)
    tagged = preview(config_of({"name": "entities"}, "token-classification"), cache=tmp_path)["examples"][0]
    assert any(token.get("tag") for token in tagged["parts"][0]["tokens"] if token["target"])
    written = preview(config_of({"name": "numerals"}, "text2text-generation", "tiny-t5"), cache=tmp_path)["examples"][0]
    assert targets(written) == "" and targets(written, 1).replace("</s>", "").strip().isdigit()
    classed = preview(config_of({"name": "sentiment"}), cache=tmp_path)
    assert {example["label"] for example in classed["examples"]} <= set(classed["classes"]["names"])
    numbers = preview(config_of({"name": "reviews", "label": "score"}), cache=tmp_path)
    assert numbers["classes"] is None and float(numbers["examples"][0]["label"]) >= 0
    several = preview(config_of({"name": "reviews"}), cache=tmp_path)
    assert sum(several["classes"]["train"]) > several["rows"]["train"]


def test_a_wrong_row_leaves_those_before_it_to_be_seen(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.csv", "text,label\nfine,good\npoor,bad\na, b,good\n")
    found = preview(config_of({"path": path}), cache=tmp_path)
    assert [row["cells"][0] for row in found["first"]["rows"]] == ["fine", "poor"]
    assert found["fault"]["code"] == "data.long-row" and "line 4" in found["fault"]["message"]


def test_of_a_large_file_the_beginning_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.previews.looked_at.QUICK_BYTES", 100)
    monkeypatch.setattr("engine.previews.looked_at.MOST_ROWS", 30)
    rows = "text,label\n" + "".join(f"row {n},{'a' if n < 50 else 'b'}\n" for n in range(100))
    found = preview(config_of({"path": put(tmp_path, "rows.csv", rows)}), cache=tmp_path)
    assert (found["whole"], found["fault"]) == (False, None)
    # sorted by class: one of them alone is no fault of the beginning
    assert (found["rows"]["train"], found["classes"]["names"]) == (30, ["a"])


def test_cells_are_cut_and_told_apart_from_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, "rows.jsonl", json.dumps({"text": "x" * 1000, "label": None, "list": [1, 2]}) + "\n")
    cells = preview(config_of({"path": path}, "text-generation", "tiny-llama"), cache=tmp_path)["first"]["rows"][0][
        "cells"
    ]
    assert [len(cells[0]), cells[1], cells[2]] == [300, None, "[1, 2]"]


def test_data_of_the_hub_is_not_fetched_whole_to_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    put(folder, "train.csv", "text,label\n" + "".join(f"row {n},{n % 2}\n" for n in range(50)))
    with fake_hub(monkeypatch, data={"ann/set": folder}):
        found = preview(config_of({"hub": "ann/set"}), cache=tmp_path / "cache")
    assert found["fault"] is None and not found["whole"]
    assert found["first"]["rows"][1] == {"place": "row 2", "cells": ["row 1", "1"]}
    assert found["classes"]["names"] == ["0", "1"]
    assert not (tmp_path / "cache" / "datasets").exists()


@pytest.mark.slow
def test_a_session_previews_beside_its_runs_and_sees_a_file_change(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    session = Session(store)
    try:
        path = reviews(tmp_path)
        config = config_of({"path": path, "text": "review", "label": "stars"})

        def answer(config: RunConfig) -> dict[str, Any]:
            while (found := session.preview(config))["state"] == "working":
                pass
            return found

        first = answer(config)
        assert first["state"] == "done" and first["rows"]["train"] == 91
        put(tmp_path, "reviews.csv", "review,stars\na,1\nb,2\n")
        assert answer(config)["first"]["columns"] == ["review", "stars"]
        gone = answer(config_of({"path": str(tmp_path / "none.csv")}))
        assert (gone["state"], gone["code"], gone["field"]) == ("failed", "data.no-file", "data.path")
    finally:
        session.close()
        store.close()


def test_windows_are_those_of_all_processes_together() -> None:
    training = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 3}
    base = {"model": "tiny-llama", "task": "text-generation", "data": {"name": "sums"}, "training": training}
    asked = previewed(RunConfig.from_dict({**base, "launch": {"processes": 4}}))["config"]
    assert asked["training"] == {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 12}
    # a file is not read for it: the page may not name any
    unread = previewed(RunConfig.from_dict({**base, "launch": {"accelerate_config": "/etc/hostname"}}))["config"]
    assert unread["training"] == training
