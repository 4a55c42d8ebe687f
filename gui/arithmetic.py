"""The batch arithmetic in words: what an update adds up, what an epoch holds, what its last window holds."""

from __future__ import annotations

from typing import Any

from engine import Plan, RunConfig

Phrase = dict[str, Any]
Lines = list[list[Phrase]]
"""Lines of phrases; a phrase is the `name` of a text and its `values`, and the browser joins them."""


def phrase(name: str, **values: Any) -> Phrase:
    return {"name": name, "values": values}


def counted(name: str, count: int, **values: Any) -> Phrase:
    return phrase(f"{name}.{'one' if count == 1 else 'many'}", count=count, **values)


def in_words(config: RunConfig, rows: int | None) -> Lines:
    """The arithmetic of `config` over `rows` training rows; None where they are not known before the data are read."""
    plan = Plan.of(config, rows or 0)
    budget = config.micro_batch_tokens
    product = counted(
        "arithmetic.product" if budget is None else "arithmetic.budget",
        plan.processes,
        micro_batch=plan.micro_batch,
        accumulation_steps=plan.accumulation_steps,
        effective_batch=plan.effective_batch,
        **({} if budget is None else {"tokens": budget}),
    )
    if rows is None:
        return [[product], [phrase("arithmetic.rows-unknown")]]
    if not plan.updates_per_epoch:
        return [[product], [phrase("arithmetic.no-updates", rows=rows)]]
    tail = phrase("arithmetic.last-window", last_window_examples=plan.last_window_examples)
    epoch = [counted("arithmetic.epoch", plan.updates_per_epoch), tail]
    total = counted("arithmetic.total", plan.updates_total, epochs=plan.epochs)
    if plan.divides:
        return [[product, *epoch], [total]]
    uneven = phrase(
        "arithmetic.uneven",
        rows=rows,
        effective_batch=plan.effective_batch,
        last_window_examples=plan.last_window_examples,
    )
    return [[product, *epoch], [uneven], [total]]
