"""Which heads there are, how one is made tiny, and how the table tells what was found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from transformers import Gemma3TextConfig, GPT2Config, Lfm2Config, LlamaConfig, Qwen2MoeConfig

from engine.errors import ConfigError
from engine.proof.heads import MAPPINGS, PROBLEM_TYPES, REASONS, HeadResult, all_heads, matching, table
from engine.proof.heads.shrink import kept_layers, tiny_config
from engine.proof.heads.sizes import FIRST_WORD, size_of

TABLE = Path(__file__).parents[1] / "benchmarks" / "tables" / "heads.jsonl"

# ---- how a head is made tiny ----


def test_a_field_is_never_made_larger_than_its_default() -> None:
    assert size_of("hidden_size", 4096) == 64
    assert size_of("hidden_size", 32) == 32
    assert size_of("num_experts_per_tok", 1) == 1


def test_a_field_that_no_pattern_knows_keeps_its_default() -> None:
    assert size_of("type_vocab_size", 2) == 2
    assert size_of("some_new_field", 777) == 777


def test_the_first_layers_that_show_each_kind_are_kept() -> None:
    assert kept_layers([("a",), ("a",), ("b",), ("a",)]) == [0, 2]
    assert kept_layers([("a", 1), ("a", 2), ("b", 1)]) == [0, 1, 2]
    assert kept_layers([("a",), ("a",), ("a",)]) == [0, 1]


def test_a_tiny_model_keeps_each_kind_of_layer() -> None:
    tiny = tiny_config(Gemma3TextConfig)
    assert set(tiny.layer_types) == set(Gemma3TextConfig().layer_types)
    assert len(tiny.layer_types) == tiny.num_hidden_layers == 2


def test_numbers_of_layers_follow_the_cut() -> None:
    tiny = tiny_config(Lfm2Config)
    assert tiny.num_hidden_layers == len(tiny.layer_types)
    assert all(number < tiny.num_hidden_layers for number in tiny.full_attn_idxs)


def test_sizes_are_found_under_a_models_own_names() -> None:
    tiny = tiny_config(GPT2Config)
    assert (tiny.n_embd, tiny.n_layer, tiny.n_head, tiny.hidden_size) == (64, 2, 4, 64)


def test_keys_have_fewer_heads_only_where_the_default_has() -> None:
    # Llama's default has as many of both
    assert tiny_config(LlamaConfig).num_key_value_heads == tiny_config(LlamaConfig).num_attention_heads == 4


def test_experts_are_few_and_not_all_of_them_taken() -> None:
    tiny = tiny_config(Qwen2MoeConfig)
    assert (tiny.num_experts, tiny.num_experts_per_tok) == (4, 2)


def test_special_ids_lie_below_the_words() -> None:
    tiny = tiny_config(LlamaConfig)
    assert {tiny.pad_token_id, tiny.bos_token_id, tiny.eos_token_id} == {0, 1, 2}
    assert tiny.vocab_size > FIRST_WORD


# ---- which heads there are ----


def test_every_head_is_listed_once_and_classification_once_a_problem_type() -> None:
    heads = all_heads()
    assert len(set(heads)) == len(heads)
    assert len({(head.task, head.name) for head in heads}) >= 500
    assert {head.task for head in heads} == set(MAPPINGS)
    berts = [head.problem_type for head in heads if head.name == "BertForSequenceClassification"]
    assert berts == list(PROBLEM_TYPES)


def test_a_shared_class_goes_by_the_model_that_it_is_named_after() -> None:
    types = {head.name: head.model_type for head in all_heads()}
    assert types["LlamaForCausalLM"] == "llama"
    assert types["GPT2LMHeadModel"] == "gpt2"


@pytest.mark.slow
def test_a_name_is_a_class_else_a_part_of_one_or_a_pattern() -> None:
    def named(name: str) -> set[str]:
        return {head.name for head in all_heads() if matching(name=name)(head)}

    assert named("bertforMaskedLM") == {"BertForMaskedLM"}
    assert named("xlnet") == {"XLNetLMHeadModel", "XLNetForTokenClassification", "XLNetForSequenceClassification"}
    assert all(name.startswith("T5For") for name in named("T5For*"))


def test_a_task_that_has_no_heads_is_refused() -> None:
    with pytest.raises(ConfigError, match="fill-mask"):
        matching(task="fill-masks")


# ---- the table ----

RESULT = HeadResult(
    head="BertForSequenceClassification",
    model_type="bert",
    task="text-classification",
    problem_type="single_label_classification",
    built=True,
    relative_error=3e-16,
    trainer_norm_ratio=4.0,
    trainer_relative_error=3.0,
)


def test_a_saved_table_is_read_back_without_its_seconds(tmp_path: Path) -> None:
    results = [replace(RESULT, seconds=1.5, unreached=("a.b",)), RESULT]
    table.save(results, tmp_path / "heads.jsonl")
    assert table.load(tmp_path / "heads.jsonl") == [replace(result, seconds=0.0) for result in results]


def test_a_head_with_several_problem_types_shows_the_worst_of_them() -> None:
    inexact = replace(RESULT, problem_type="regression", relative_error=0.5, reason="rows-mixed")
    row = table.merged([RESULT, inexact])
    assert (row["relative_error"], row["exact"], row["reason"]) == (0.5, False, "rows-mixed")
    assert row["problem_types"]["single_label_classification"]["exact"] is True


def test_the_stock_trainers_way_and_norm_are_of_the_problem_type_that_its_error_is_of() -> None:
    right = replace(RESULT, trainer_norm_ratio=1.0, trainer_relative_error=2e-16, trainer_way="exact")
    undivided = replace(RESULT, problem_type="regression", trainer_way="undivided")
    for results in ([right, undivided], [undivided, right]):
        row = table.merged(results)
        assert (row["trainer_relative_error"], row["trainer_norm_ratio"], row["trainer_way"]) == (3.0, 4.0, "undivided")
        assert not row["trainer_exact"] and row["problem_types"][str(right.problem_type)]["trainer_way"] == "exact"


def test_an_error_that_is_no_number_is_null_in_json() -> None:
    assert replace(RESULT, trainer_relative_error=float("nan")).to_dict()["trainer_relative_error"] is None


def test_totals_and_words_count_heads() -> None:
    rows = [table.merged([RESULT])]
    assert table.totals(rows) == {"heads": 1, "built": 1, "exact": 1, "trainer_exact": 0}
    assert table.summary(rows)[0].startswith("sequence classification")


def test_the_printed_table_has_a_header_and_the_figures_of_a_proof_each_below_its_name() -> None:
    means = replace(RESULT, mean_of_means_relative_error=0.127, trainer_way="undivided")
    odd = replace(RESULT, head="FNetModel", relative_error=0.002, reason="padding", unreached=("a", "b"))
    header, first, second = table.header(), *(table.line(table.merged([each])) for each in (means, odd))
    said = [["Birikim", "3e-16", "0.2 %"], ["mean of means", "12.7 %", "–"], ["stock Trainer", "300 %", "300 %"],
            ["its norm", "4.00 ×", "4.00 ×"]]  # fmt: skip
    for name, one, other in said:
        end = header.index(name) + len(name)
        assert header[:end].endswith(name) and first[:end].endswith(one) and second[:end].endswith(other)
    assert first.startswith("BertForSequenceClassification") and first.endswith("undivided")
    notes = "text does not reach a and 1 more part; changes its outputs with the width of the padding"
    assert second[header.index("notes") :] == notes


def test_the_printed_table_is_the_kept_one() -> None:
    rows = [table.merged(group) for group in table.by_head(table.load(TABLE))]
    for row in rows:
        assert (row["trainer_way"] == "exact") == row["trainer_exact"], row
    _, *printed, took = TABLE.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert printed == [table.header(), *map(table.line, rows), *table.summary(rows)]
    assert took.startswith(f"{sum(len(row.get('problem_types', [1])) for row in rows)} proofs in ")


def test_the_kept_table_holds_every_head_and_a_reason_for_each_that_is_not_exact() -> None:
    results = table.load(TABLE)
    assert [(result.task, result.head, result.problem_type) for result in results] == [
        (head.task, head.name, head.problem_type) for head in all_heads()
    ]
    totals = table.totals(table.merged(group) for group in table.by_head(results))
    assert totals["built"] >= 470
    for result in results:
        assert (result.reason is None) == result.exact, result
        assert result.reason is None or result.reason in REASONS
