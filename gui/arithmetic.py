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
    one = plan.effective_batch == 1
    product = _limited(config, phrase("arithmetic.product-of-one") if one else _product("arithmetic.product", plan))
    if rows is None:
        return [product, [phrase("arithmetic.rows-unknown")]]
    if not plan.updates_per_epoch:
        return [product, [counted("arithmetic.no-updates", rows)]]
    if plan.epochs == 1:
        total = counted("arithmetic.total-one-epoch", plan.updates_total)
    else:
        total = counted("arithmetic.total", plan.updates_total, epochs=plan.epochs)
    if rows < plan.effective_batch:
        used = plan.last_window_examples
        few = counted("arithmetic.few-rows", rows)
        dropped = phrase("arithmetic.few-rows-dropped", rows=rows, used=used)
        larger = _product("arithmetic.larger", plan)
        return [_limited(config, larger), [few if used == rows else dropped], [total]]
    epoch = counted("arithmetic.epoch", plan.updates_per_epoch)
    if plan.divides:
        return [[*product, epoch], [total]]
    tail = phrase("arithmetic.last-window", last_window_examples=plan.last_window_examples)
    uneven = phrase("arithmetic.uneven", rows=rows, effective_batch=plan.effective_batch)
    return [[*product, epoch, tail], [uneven], [total]]


def _limited(config: RunConfig, product: Phrase) -> list[Phrase]:
    """`product` and, where there is one, the token budget that it is dealt by."""
    tokens = config.micro_batch_tokens
    return [product, phrase("arithmetic.budget", tokens=tokens)] if tokens else [product]


def _product(name: str, plan: Plan) -> Phrase:
    return counted(
        name,
        plan.processes,
        micro_batch=plan.micro_batch,
        accumulation_steps=plan.accumulation_steps,
        effective_batch=plan.effective_batch,
    )
