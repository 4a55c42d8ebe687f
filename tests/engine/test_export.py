"""What a run is written as, beside a script: tables, a report, its YAML, its model with a card."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyarrow import parquet
from typer.testing import CliRunner

from engine import EXPORTS, RunConfig, RunError, Store, StoreError, take_away
from engine.cli import app
from engine.config import default_home
from engine.events import MemorySample, Notice, RunPlanned, SampleTaken, StateChanged
from engine.export.launching import line
from engine.export.report.words import TABLES
from engine.export.service import Takeaways
from engine.summary import card, drawing
from tests.engine.store_runs import evaluation, update
from tests.gui.test_words import values

HOSTILE = '<script>alert("1")</script>'

CONFIG: dict[str, Any] = {
    "model": "tiny-llama",
    "task": "text-generation",
    "data": {"path": f"/home/somebody/secret place/{HOSTILE.replace('/', '')}.csv", "text": HOSTILE},
    "training": {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 4, "max_steps": 4, "use_cpu": True},
}

PLAN = {
    "micro_batch": 8, "accumulation_steps": 4, "processes": 1, "rows": 100, "updates_total": 4, "drop_last": False,
    "window": None, "micro_batch_tokens": None, "effective_batch": 32, "micro_batches_per_epoch": 13,
    "updates_per_epoch": 4, "last_window_examples": 4, "divides": False, "epochs": 1.0,
}  # fmt: skip
FACTS = {"model_class": "LlamaForCausalLM", "parameters": 1967808, "device": "CPU", "versions": {"torch": "2.13.0"}}


@pytest.fixture
def run(store: Store) -> int:
    """Four updates, evaluated after the second and the fourth; the third has no finite loss."""
    run = store.create_run(CONFIG, name=HOSTILE)
    store.write(RunPlanned(run=run, plan=PLAN, facts=FACTS))
    for number in (1, 2, 3, 4):
        store.write(update(run, number, **({"loss": None} if number == 3 else {})))
        store.write(
            MemorySample(
                run=run, seconds=number / 2, update=number, total_examples=32 * number, total_targets=96 * number,
                resident=2**30 + number * 2**20,
            )
        )  # fmt: skip
        if number % 2 == 0:
            store.write(evaluation(run, number, metrics={"perplexity": 2.5}))
    store.write(StateChanged(run=run, state="finished", code="run.finished"))
    store.flush()
    return run


# ---- tables ----


def test_the_csv_holds_every_update_and_beside_it_the_evaluation_after_it(store: Store, run: int) -> None:
    with take_away(store, run, "csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["update"] for row in rows] == ["1", "2", "3", "4"]
    # a number is written whole: 1 / 2 after update 2, nothing where there was no loss
    assert [row["loss"] for row in rows] == ["1.0", "0.5", "", "0.25"]
    assert [row["eval_perplexity"] for row in rows] == ["", "2.5", "", "2.5"]
    assert rows[1]["targets"] == "96"


def test_the_parquet_file_is_the_same_table_with_types(store: Store, run: int) -> None:
    table = parquet.read_table(take_away(store, run, "parquet"))
    assert table["loss"].to_pylist() == [1.0, 0.5, None, 0.25]
    assert table["eval_loss"].to_pylist()[0] is None
    assert str(table.schema.field("targets").type) == "int64"
    assert str(table.schema.field("loss").type) == "double"
    assert json.loads(table.schema.metadata[b"birikim"])["config"]["model"] == "tiny-llama"


def test_a_run_without_updates_gives_tables_without_rows(store: Store) -> None:
    run = store.create_run(CONFIG)
    assert take_away(store, run, "csv").read_text().count("\n") == 1
    assert parquet.read_table(take_away(store, run, "parquet")).num_rows == 0


# ---- the report ----


@pytest.mark.parametrize("language", ["en", "tr"])
def test_a_report_is_whole_and_shows_what_a_user_typed_as_text(store: Store, run: int, language: Any) -> None:
    text = take_away(store, run, "html", language=language).read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in text
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    assert "url(" not in text
    assert "8 × 4 × 1" in text
    # loss, memory, examples, targets, throughput, learning rate, gradient norm
    assert text.count("<svg") == 7
    assert TABLES[language]["exact.exact"].split(":")[0] in text


def test_a_turkish_report_says_figures_and_what_was_noticed_in_turkish(store: Store, run: int) -> None:
    values = {"count": 3, "rows": 1200, "max_length": 128}
    store.write(Notice(run=run, code="task.cut-rows", message="3 of 1200 rows are longer …", values=values))
    store.flush()
    text = take_away(store, run, "html", language="tr").read_text(encoding="utf-8")
    assert "1200 satırdan 3 tanesi 128 tokenden uzun; orada kesildi." in text
    assert "rows are longer" not in text
    assert ">Perplexity<" in text and ">2,5000<" in text and ">2.5000<" not in text
    assert "8 × 4 × 1 cihaz = güncelleme başına 32 örnek" in text
    assert re.search(r"<td>\d\d\.\d\d\.\d{4} \d\d:\d\d</td>", text)


def test_a_report_of_a_run_that_has_not_begun_says_so(store: Store) -> None:
    run = store.create_run(CONFIG)
    text = take_away(store, run, "html").read_text(encoding="utf-8")
    assert TABLES["en"]["empty"] in text
    assert "<svg" not in text


def test_a_report_names_no_folder_of_this_machine(store: Store) -> None:
    data = {"path": "/home/ada/rows.csv", "validation": "/home/ada/dev.csv", "text": "t"}
    launch = {"accelerate_config": "/home/ada/cluster.yaml"}
    run = store.create_run({**CONFIG, "model": "/home/ada/mine", "data": data, "launch": launch})
    facts = {**FACTS, "command": "accelerate launch --config_file /home/ada/cluster.yaml"}
    store.write(RunPlanned(run=run, plan=PLAN, facts=facts))
    store.flush()
    text = take_away(store, run, "html").read_text(encoding="utf-8")
    assert "/home/ada" not in text
    assert all(name in text for name in ("mine", "rows.csv", "dev.csv", "cluster.yaml"))


def sample(run: int, number: int, index: int, kind: Any, got: Any, **values: Any) -> SampleTaken:
    given = {"given": "some text", "wanted": None, "right": [], "scores": []}
    return SampleTaken(run=run, update=number, index=index, kind=kind, got=got, **{**given, **values})


@pytest.mark.parametrize("language", ["en", "tr"])
def test_a_report_shows_what_the_model_said_of_the_same_texts_update_by_update(
    store: Store, run: int, language: Any
) -> None:
    chance = [{"name": "good", "score": 0.75}, {"name": "bad", "score": 0.25}]
    for number in (0, 2, 4):
        store.write(sample(run, number, 1, "text", f"{HOSTILE} after {number}", given=HOSTILE))
        right = {"right": [number > 0], "wanted": "good", "scores": chance}
        store.write(sample(run, number, 2, "class", "good" if number else "bad", **right))
        tags = {"given": "Ada sings", "wanted": ["NAME", "O"], "right": [True, number == 4]}
        store.write(sample(run, number, 3, "tags", ["NAME", "O" if number == 4 else "NAME"], **tags))
    store.flush()
    text = take_away(store, run, "html", language=language).read_text(encoding="utf-8")
    words = TABLES[language]
    assert words["samples"] in text and "<script" not in text
    assert all(f"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; after {number}" in text for number in (0, 2, 4))
    low, high = ("25 %", "75 %") if language == "en" else ("%25", "%75")
    assert text.count(f">bad {low}<") == 1 and text.count(f">good {high}<") == 2
    assert f">good {high}</td><td>{words['sample.right']}<" in text and f">{words['sample.wrong']}<" in text
    assert text.count("Ada NAME · sings NAME<") == 2 and f">{words['sample.partly'].format(right=1, of=2)}<" in text


def test_a_report_of_many_and_long_samples_stays_small(store: Store, run: int) -> None:
    for number in range(200):
        store.write(sample(run, number, 1, "text", "long " * 2000))
    store.flush()
    text = take_away(store, run, "html").read_text(encoding="utf-8")
    # the first, the last, and no more than twenty updates in all
    shown = [int(found) for found in re.findall(r'<td class="number">(\d+)</td><td class="text">', text)]
    assert len(shown) == 20 and (shown[0], shown[-1]) == (0, 199)
    assert text.count("long ") < 20 * 600 / 5 + 1


def test_both_languages_of_a_report_have_the_same_texts_with_the_same_values() -> None:
    english, turkish = TABLES["en"], TABLES["tr"]
    assert english.keys() == turkish.keys()
    assert all(values(english[name]) == values(turkish[name]) for name in english)


def test_ticks_are_round_numbers_within_the_axis() -> None:
    axis = drawing._Axis([0.0, 7.66], 0, 100)
    # steps of 2 from 0: the next smaller, 1, would make eight of them
    assert axis.ticks() == [0.0, 2.0, 4.0, 6.0]


def test_a_line_has_a_gap_where_a_value_is_no_number() -> None:
    line = drawing.Line("training", "training", [1, 2, 3, 4], [1.0, 0.5, None, 0.25])
    svg = drawing.drawn([line], title="Loss", x_title="update", say=drawing.number)
    # begun anew after the gap
    assert svg.count("M") == 2


# ---- the model and its card ----


def model_folder(store: Store, run: int) -> Path:
    folder = store.home / "runs" / str(run) / "model"
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_the_card_says_what_was_trained_how_and_with_what_result_and_nothing_of_this_machine(
    store: Store, run: int
) -> None:
    folder = model_folder(store, run)
    card.write_card(store, run, folder)
    text = (folder / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---")[1])
    assert front["library_name"] == "transformers"
    assert front["pipeline_tag"] == "text-generation"
    assert "gradient-accumulation" in front["tags"]
    assert "base_model" not in front  # it began at random
    metrics = front["model-index"][0]["results"][0]["metrics"]
    assert {each["type"] for each in metrics} == {"loss", "perplexity"}
    assert "4 updates of 32 examples (8 × 4 × 1)" in text
    assert "gradient_accumulation_steps: 4" in text
    assert "somebody" not in text
    assert "![" in text
    assert (folder / "loss.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("model", "base", "licence"),
    [
        ("minilm", "sentence-transformers/all-MiniLM-L6-v2", "apache-2.0"),
        ("owner/name", "owner/name", None),
        ("tiny-llama", None, None),
        ("/some/where/mine", None, None),
    ],
)
def test_the_base_model_is_named_where_the_hub_knows_it(model: str, base: str | None, licence: str | None) -> None:
    assert card.base_of(RunConfig.from_dict({**CONFIG, "model": model})) == (base, licence)


def test_the_model_comes_as_one_file(store: Store, run: int) -> None:
    model_folder(store, run)
    path = take_away(store, run, "model")
    with pytest.raises(RunError, match="no adapters"):
        take_away(store, run, "adapter")
    with zipfile.ZipFile(path) as archive:
        assert archive.read(f"run-{run}/model.safetensors") == b"weights"


def test_a_run_without_a_model_has_none_to_take(store: Store, run: int) -> None:
    with pytest.raises(RunError, match="left no model"):
        take_away(store, run, "model")


# ---- where it is written ----


def test_the_yaml_reads_back_as_the_run_s_config(store: Store, run: int) -> None:
    assert (
        RunConfig.from_yaml(take_away(store, run, "yaml").read_text()).to_dict()
        == RunConfig.from_dict(CONFIG).to_dict()
    )


def test_the_launch_line_is_for_one_process(store: Store, run: int) -> None:
    assert line(store.run(run)).startswith("accelerate launch --cpu --num_processes 1 ")
    assert line(store.run(run)) in take_away(store, run, "accelerate").read_text()


@pytest.mark.parametrize(
    ("launch", "options"),
    [
        ({"processes": 2}, "--multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"),
        ({"accelerate_config": "my cluster.yaml"}, "--config_file 'my cluster.yaml'"),
    ],
)
def test_the_launch_line_of_several_processes_trains_by_the_runs_yaml(
    store: Store, launch: dict[str, Any], options: str
) -> None:
    run = store.create_run({**CONFIG, "launch": launch})
    assert line(store.run(run)) == f"accelerate launch {options} --module engine train run-{run}.yaml"
    assert take_away(store, run, "yaml").name == f"run-{run}.yaml"
    assert f"`birikim export {run} --as yaml`" in take_away(store, run, "accelerate").read_text()


def test_processes_on_the_cpu_are_launched_though_accelerate_by_itself_would_start_one(
    store: Store, tmp_path: Path
) -> None:
    for kind, option in (("MULTI_CPU", "--multi_gpu "), ("MULTI_GPU", ""), ("NO", "")):
        path = tmp_path / f"{kind}.yaml"
        path.write_text(f"distributed_type: {kind}\nnum_processes: {1 if kind == 'NO' else 2}\n")
        run = store.create_run({**CONFIG, "launch": {"accelerate_config": str(path)}})
        assert line(store.run(run)).startswith(f"accelerate launch {option}--config_file {path} ")


def test_a_report_counts_the_processes(store: Store) -> None:
    run = store.create_run({**CONFIG, "launch": {"processes": 2}})
    store.write(RunPlanned(run=run, plan={**PLAN, "processes": 2, "effective_batch": 64}, facts=FACTS))
    store.flush()
    text = take_away(store, run, "html").read_text(encoding="utf-8")
    assert "8 × 4 × 2 devices = 64 examples an update" in text


def test_what_is_under_way_is_exported_but_for_its_script_and_model(store: Store) -> None:
    run = store.create_run(CONFIG)
    for kind, way in EXPORTS.items():
        if way.ended:
            with pytest.raises(RunError, match="under way"):
                take_away(store, run, kind)
        else:
            assert take_away(store, run, kind).is_file()
    store.write(StateChanged(run=run, state="stopped"))


def test_a_place_of_one_s_own_is_a_file_or_a_folder(store: Store, run: int, tmp_path: Path) -> None:
    assert take_away(store, run, "csv", tmp_path / "a" / "b.csv") == tmp_path / "a" / "b.csv"
    assert take_away(store, run, "csv", tmp_path) == tmp_path / f"run-{run}.csv"
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError) as refused:
        take_away(store, run, "csv", tmp_path / "file" / "b.csv")
    assert refused.value.code == "export.not-written"


def test_no_kind_and_no_run_that_is_none(store: Store, run: int) -> None:
    with pytest.raises(RunError, match="script, notebook, yaml, csv"):
        take_away(store, run, "pdf")
    with pytest.raises(StoreError):
        take_away(store, run + 1, "csv")
    proof = store.create_run(CONFIG, kind="proof", request={})
    with pytest.raises(StoreError):
        take_away(store, proof, "csv")
    store.write(StateChanged(run=proof, state="stopped"))


# ---- the command line ----


def test_the_last_line_is_the_path(store: Store, run: int) -> None:
    found = CliRunner().invoke(app, ["export", str(run), "--as", "csv", "--home", str(store.home)])
    assert found.exit_code == 0
    assert Path(found.stdout.splitlines()[-1]).is_file()
    told = CliRunner().invoke(app, ["export", str(run), "--as", "html", "--home", str(store.home), "--json"])
    said = json.loads(told.stdout)
    assert (said["run"], said["as"]) == (run, "html")
    assert Path(said["path"]).is_file()


def test_what_cant_be_exported_is_one_line_and_exit_status_two(store: Store, run: int) -> None:
    found = CliRunner().invoke(app, ["export", str(run), "--as", "pdf", "--home", str(store.home)])
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1


def test_the_default_home_is_the_programs_own() -> None:
    assert default_home().is_absolute()


# ---- asked for by a page ----


def test_a_page_hears_working_until_the_file_is_there(store: Store, run: int) -> None:
    takeaways = Takeaways(store)
    try:
        answer = takeaways.ask(run, "csv")
        while answer["state"] == "working":
            answer = takeaways.ask(run, "csv")
        assert answer == {"state": "done", "name": f"run-{run}.csv", "bytes": takeaways.file(run, "csv").stat().st_size}  # type: ignore[union-attr]
        assert takeaways.file(run, "parquet") is None
    finally:
        takeaways.close()


def test_a_page_hears_why_there_is_no_file_and_may_ask_again(store: Store, run: int) -> None:
    takeaways = Takeaways(store)
    try:
        for _ in range(2):
            answer = takeaways.ask(run, "model")
            while answer["state"] == "working":
                answer = takeaways.ask(run, "model")
            assert (answer["state"], answer["code"]) == ("failed", "export.no-model")
        model_folder(store, run)
        answer = takeaways.ask(run, "model")
        while answer["state"] == "working":
            answer = takeaways.ask(run, "model")
        assert answer["state"] == "done"
        with pytest.raises(StoreError):
            takeaways.ask(run + 1, "csv")
        with pytest.raises(RunError):
            takeaways.ask(run, "../secret")
    finally:
        takeaways.close()


@pytest.mark.slow
def test_what_loads_a_model_is_written_by_a_process_of_its_own(store: Store, run: int) -> None:
    takeaways = Takeaways(store)
    try:
        answer = takeaways.ask(run, "script")
        while answer["state"] == "working":
            answer = takeaways.ask(run, "script")
        # its data are nowhere
        assert (answer["state"], answer["code"]) == ("failed", "data.no-file")
    finally:
        takeaways.close()


def test_closing_ends_what_is_being_written(store: Store, run: int) -> None:
    takeaways = Takeaways(store)
    takeaways.ask(run, "script")
    takeaways.close()
    takeaways.close()
    assert takeaways.ask(run, "csv") == {"state": "working"}
