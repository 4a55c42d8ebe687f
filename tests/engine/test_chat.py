"""Conversations and questions with answers: the answers alone are targets, whatever the template."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from engine.checks import check as check_config
from engine.cli import app
from engine.config import DataConfig, RunConfig
from engine.datasets import check, load
from engine.errors import ConfigError
from engine.models import has_chat_template
from engine.models import load as load_model
from engine.models.tiny import llama_tokenizer
from engine.tasks import Encoded, get_task
from engine.trainer import prepare
from engine.trainer.progress import Progress

GENERATION = "text-generation"

runner = CliRunner()

PLAIN = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
MARKED = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}</s>{% endgeneration %}{% else %}{{ m.content }}</s>{% endif %}"
    "{{ '\n' }}{% endfor %}"
)
FORGETFUL = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' and not loop.last %}…"
    "{% else %}{{ m.content }}{% endif %}</s>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
STRICT = "{% if messages[0].role != 'user' %}{{ raise_exception('the user begins') }}{% endif %}" + PLAIN

TALK = [
    {"role": "user", "content": "How much is two and two?"},
    {"role": "assistant", "content": "Four, as always."},
    {"role": "user", "content": "And three?"},
    {"role": "assistant", "content": "Five."},
]


@pytest.fixture(scope="module")
def plain_tokenizer() -> Any:
    return llama_tokenizer([turn["content"] for turn in TALK] * 20)


def with_template(tokenizer: Any, template: str | None) -> Any:
    tokenizer.chat_template = template
    return tokenizer


def encode(rows: list[dict[str, Any]], tokenizer: Any, max_length: int = 200) -> Encoded:
    return get_task(GENERATION).encode(rows, tokenizer, max_length)


def learnt(row: dict[str, Any], tokenizer: Any) -> str:
    return str(tokenizer.decode([token for token in row["labels"] if token != -100]))


@pytest.mark.parametrize("template", [PLAIN, MARKED])
def test_the_answers_and_their_ends_are_the_targets(template: str, plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, template)
    (row,) = encode([{"messages": TALK}], tokenizer)
    assert learnt(row, tokenizer) == "Four, as always.</s>Five.</s>"
    assert len(row["labels"]) == len(row["input_ids"]) == len(row["attention_mask"])
    assert tokenizer.decode(row["input_ids"]).startswith("<user>How much is two and two?</s>\n<assistant>Four")


def test_a_prompt_and_its_completion_go_through_the_template(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, PLAIN)
    (row,) = encode([{"prompt": "And three?", "completion": "Five."}], tokenizer)
    assert tokenizer.decode(row["input_ids"]) == "<user>And three?</s>\n<assistant>Five.</s>\n"
    assert learnt(row, tokenizer) == "Five.</s>"


def test_without_a_template_a_completion_follows_its_prompt_and_ends(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, None)
    (row,) = encode([{"prompt": "2 + 2 = ", "completion": "four"}], tokenizer)
    assert tokenizer.decode(row["input_ids"]) == "2 + 2 = four</s>"
    assert learnt(row, tokenizer).strip() == "four</s>"


def test_turns_before_the_completion_are_not_learnt(plain_tokenizer: Any) -> None:
    tokenizer = with_template(
        plain_tokenizer, MARKED.replace("{% generation %}", "").replace("{% endgeneration %}", "")
    )
    tokenizer.chat_template += "{% if add_generation_prompt %}<assistant>{% endif %}"
    (row,) = encode([{"messages": TALK, "learnt_from": 3}], tokenizer)
    assert learnt(row, tokenizer) == "Five.</s>"


def test_a_row_whose_answers_are_cut_away_is_left_out_and_counted(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, PLAIN)
    long = [{"role": "user", "content": "three " * 50}, TALK[1]]
    found = encode([{"messages": long}, {"messages": TALK}], tokenizer, max_length=60)
    assert (len(found), found.unanswered, found.truncated) == (1, 1, 2 if len(found[0]["input_ids"]) == 60 else 1)
    assert ("task.answers-cut-off", {"count": 1, "rows": 2, "max_length": 60}) in found.notices


def test_a_template_that_rewrites_earlier_turns_is_refused_with_the_row(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, FORGETFUL)
    with pytest.raises(ConfigError) as caught:
        encode([{"messages": TALK, "place": "talks.jsonl, line 7"}], tokenizer)
    assert caught.value.code == "task.template-rewrites"
    assert "turn 2" in caught.value.line and "line 7" in caught.value.line
    (row,) = encode([{"messages": TALK[:2]}], tokenizer)
    assert learnt(row, tokenizer) == "Four, as always.</s>"


def test_a_template_s_own_refusal_is_told_with_the_row(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, STRICT)
    with pytest.raises(ConfigError, match=r"the user begins.*user first") as caught:
        encode([{"messages": TALK[1:], "place": "talks.jsonl, line 2"}], tokenizer)
    assert "line 2" in caught.value.line


def test_conversations_without_a_template_are_refused_with_what_to_do(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, None)
    with pytest.raises(ConfigError, match="has no chat template"):
        encode([{"messages": TALK}], tokenizer)


# ---- files ----


def written(folder: Path, name: str, rows: list[Any]) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("row", "config"),
    [
        ({"messages": TALK}, {}),
        ({"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}, {}),
        ({"talk": json.dumps(TALK), "text": "x"}, {"messages": "talk"}),
        ({"prompt": TALK[:1], "completion": TALK[1:2]}, {}),
    ],
)
def test_conversations_are_found_by_their_usual_columns(
    row: dict[str, Any], config: dict[str, Any], tmp_path: Path
) -> None:
    path = written(tmp_path, "talks.jsonl", [row, row])
    (one, _) = load(DataConfig(path=str(path), **config), GENERATION, seed=1, cache=tmp_path).train
    assert [turn["role"] for turn in one["messages"][:2]] == ["user", "assistant"]


def test_questions_with_answers_keep_their_spaces(tmp_path: Path) -> None:
    rows = [{"ask": "2 + 2 =", "say": " 4"}, {"ask": "1 + 1 =", "say": " 2"}]
    config = DataConfig(path=str(written(tmp_path, "rows.jsonl", rows)), prompt="ask", completion="say")
    found = load(config, GENERATION, seed=1, cache=tmp_path).train
    assert sorted((row["prompt"], row["completion"]) for row in found) == [("1 + 1 =", " 2"), ("2 + 2 =", " 4")]


BAD = [
    ({"messages": "hello"}, "data.not-messages", "no conversation but a str at line 2"),
    ({"messages": [{"role": "user"}]}, "data.not-a-turn", "Turn 1 at line 2"),
    ({"messages": [{"role": "user", "content": "hi"}]}, "data.no-answer", "Nobody answers at line 2"),
]


@pytest.mark.parametrize(("row", "code", "words"), BAD)
def test_what_is_no_conversation_is_told_with_its_line(
    row: dict[str, Any], code: str, words: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "talks.jsonl", [{"messages": TALK}, row])
    with pytest.raises(ConfigError) as caught:
        load(DataConfig(path=str(path)), GENERATION, seed=1, cache=tmp_path)
    assert caught.value.code == code
    assert words in caught.value.line


def test_a_missing_completion_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.jsonl", [{"prompt": "a", "completion": "b"}, {"prompt": "c"}])
    with pytest.raises(ConfigError, match="no completion at line 2"):
        load(DataConfig(path=str(path)), GENERATION, seed=1, cache=tmp_path)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"prompt": "a"}, "data.completion"),
        ({"messages": "a", "text": "b"}, "data.messages"),
        ({"messages": "a", "label": "b"}, "data.label"),
    ],
)
def test_columns_that_say_two_things_of_a_row_are_refused(data: dict[str, Any], field: str) -> None:
    values = {"model": "tiny-llama", "task": GENERATION, "data": {"path": "a.csv", **data}}
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_dict(values)
    assert caught.value.field == field


def test_conversations_are_for_text_generation_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "talks.jsonl", [{"messages": TALK}])
    with pytest.raises(ConfigError, match="is for text-generation") as caught:
        check(DataConfig(path=str(path), messages="messages"), "fill-mask")
    assert caught.value.field == "data.messages"


@pytest.mark.parametrize(
    ("task", "field", "remedy"),
    [
        (GENERATION, "data.text", "Leave data.text out and set data.messages to messages."),
        ("text-classification", "data.text", "Set task to text-generation"),
    ],
)
def test_a_text_column_that_is_not_there_beside_conversations_is_told_with_theirs(
    task: str, field: str, remedy: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "talks.jsonl", [{"id": 1, "messages": TALK}])
    with pytest.raises(ConfigError) as caught:
        check(DataConfig(path=str(path), text="body"), task)
    assert caught.value.field == field and "“messages” seems to hold conversations" in caught.value.message
    assert remedy in caught.value.remedy


# ---- before a start ----


def config_of(path: Path, model: str, **data: Any) -> RunConfig:
    return RunConfig.from_dict({"model": model, "task": GENERATION, "data": {"path": str(path), **data}})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder without a chat template."""
    made = load_model("tiny-llama", GENERATION, labels=None, texts=["two and two"] * 20, seed=1, cache=Path())
    folder = tmp_path_factory.mktemp("made") / "model"
    made.model.save_pretrained(folder)
    made.tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("row", "data"),
    [
        ({"messages": TALK}, {}),
        ({"talk": TALK}, {"messages": "talk"}),
        ({"prompt": TALK[:1], "completion": TALK[1:2]}, {}),
    ],
)
def test_conversations_for_a_model_without_a_template_are_refused_before_a_start(
    row: dict[str, Any], data: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    path = written(tmp_path, "talks.jsonl", [row, row])
    for model in ("tiny-llama", str(folder)):
        with pytest.raises(ConfigError, match=r"has no chat template.*made for conversations") as caught:
            check_config(config_of(path, model, **data))
        assert caught.value.field == "model"


def test_what_needs_no_template_or_has_one_is_let_through(folder: Path, tmp_path: Path) -> None:
    pairs = written(tmp_path, "pairs.jsonl", [{"prompt": "2 + 2 =", "completion": " 4"}] * 2)
    check_config(config_of(pairs, str(folder)))
    talks = written(tmp_path, "talks.jsonl", [{"messages": TALK}] * 2)
    made = tmp_path / "chatting"
    shutil.copytree(folder, made)
    (made / "chat_template.jinja").write_text(PLAIN)
    check_config(config_of(talks, str(made)))
    assert has_chat_template("ann/not-fetched-yet") is None


def test_birikim_train_refuses_conversations_without_a_template_and_keeps_no_run(tmp_path: Path) -> None:
    talks = written(tmp_path, "talks.jsonl", [{"messages": TALK}] * 2)
    config = tmp_path / "run.yaml"
    config.write_text(f"model: tiny-llama\ntask: {GENERATION}\ndata: {{path: {talks}}}\n")
    home = ["--home", str(tmp_path / "home")]
    result = runner.invoke(app, ["train", str(config), *home])
    assert result.exit_code == 2
    assert result.stderr.startswith("birikim: The model's tokenizer has no chat template")
    assert json.loads(runner.invoke(app, ["runs", "--json", *home]).stdout)["runs"] == []


@pytest.mark.parametrize("packing", [False, True])
def test_a_window_of_answers_counts_them_alone(packing: bool, tmp_path: Path) -> None:
    rows = [{"prompt": f"{n} + 1 =", "completion": f" {n + 1}"} for n in range(20)]
    config = RunConfig.from_dict(
        {
            "model": "tiny-llama",
            "task": GENERATION,
            "data": {"path": str(written(tmp_path, "rows.jsonl", rows)), "max_length": 32, "eval_rows": 4},
            "packing": packing,
            "training": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2, "max_steps": 2},
        }
    )
    prepared = prepare(config, cache=tmp_path, folder=tmp_path, run=1, emit=lambda event: None, progress=Progress())
    targets = [sum(label != -100 for label in row["labels"][1:]) for row in prepared.train]
    assert 0 < max(targets) < min(len(row["input_ids"]) for row in prepared.train)
    window = next(iter(prepared.trainer.get_train_dataloader()))
    count = sum(batch["birikim_count"].targets for batch in window)
    labels = torch.cat([batch["labels"].flatten() for batch in window])
    assert count == int((labels != -100).sum()) > 0


def test_a_conversation_may_begin_with_an_answer(plain_tokenizer: Any) -> None:
    tokenizer = with_template(plain_tokenizer, PLAIN)
    (row,) = encode([{"messages": TALK[1:]}], tokenizer)
    assert learnt(row, tokenizer) == "Four, as always.</s>Five.</s>"


def test_where_only_a_line_break_ends_an_answer_it_is_learnt(plain_tokenizer: Any) -> None:
    bare = (
        "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant: {% endif %}"
    )
    tokenizer = with_template(plain_tokenizer, bare)
    (row,) = encode([{"messages": TALK[:2]}], tokenizer)
    assert learnt(row, tokenizer).endswith("Four, as always.\n")
