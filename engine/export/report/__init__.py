"""A run on one page of HTML that opens anywhere: its config, its arithmetic, its charts and its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.export.report.page import figure, page, pairs, paragraph, section, table
from engine.export.report.speech import Speech
from engine.export.report.timeline import MOST_UPDATES, Sample, timeline
from engine.store import Run, Store
from engine.summary.card import shown_config, shown_model, shown_source
from engine.summary.drawing import Line, drawn, number
from engine.summary.findings import Findings, size

MOST_EVALUATIONS = 200
FACTS = (
    "model_class",
    "parameters",
    "trainable",
    "device",
    "threads",
    "precision",
    "rows",
    "evaluation_rows",
    "window_order",
)


def write_report(store: Store, run: Run, path: Path, language: str = "en") -> None:
    """Writes the report in a language of `words.TABLES`; all that a user typed is shown as text."""
    samples = store.samples(run.id, most=MOST_UPDATES)["samples"]
    path.write_text(report(Findings.of(store, run), samples, language), encoding="utf-8")


def report(found: Findings, samples: Sequence[Sample], language: str) -> str:
    say = Speech(language)
    run = found.run
    title = f"{say('title', run=run.id)} · {run.name}" if run.name else say("title", run=run.id)
    total = run.plan["updates_total"] if run.plan else "?"
    state = f"{say(f'state.{run.state}')} · {say('updates', done=run.update, all=total)}"
    asked = found.config
    body = [
        f"<header>{_h1(title)}{paragraph(state, 'sum')}",
        paragraph(f"{shown_model(asked.model)} · {asked.task} · {shown_source(asked)}"),
        paragraph(say.told(run.code, run.values, f"{run.message} {run.remedy}".strip()), "soft") if run.message else "",
        paragraph(say("made"), "soft") + "</header>",
        section(say("plan"), _arithmetic(run, say)),
        section(say("exact"), paragraph(say(f"exact.{found.way}"))),
        section(say("results"), pairs(_results(found, say)) if found.updates else paragraph(say("empty"))),
        section(say("charts"), _charts(found, say)),
        section(say("evaluations"), _evaluations(found, say)),
        section(say("samples"), timeline(samples, say)),
        section(say("config"), _code(shown_config(asked))),
        section(say("facts"), pairs(_facts(run, say))),
        section(say("notices"), "".join(paragraph(say.told(**_sent(notice))) for notice in found.notices)),
    ]
    return page(language, f"{title} · Birikim", "\n".join(filter(None, body)))


def _sent(notice: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": notice["code"], "values": notice["values"], "sent": notice["message"]}


def _h1(title: str) -> str:
    return paragraph(title).replace("<p>", "<h1>").replace("</p>", "</h1>")


def _code(text: str) -> str:
    from html import escape

    return f'<pre tabindex="0">{escape(text)}</pre>'


def _arithmetic(run: Run, say: Speech) -> str:
    plan = run.plan
    if plan is None:
        return ""
    devices = say("plan.device" if plan["processes"] == 1 else "plan.devices")
    product = f"{plan['micro_batch']} × {plan['accumulation_steps']} × {plan['processes']} {devices}"
    parts = [
        f"{product} = {say('plan.effective', effective=plan['effective_batch'])}",
        say("plan.epoch", updates=say.figures(f"{plan['updates_per_epoch']:,}")),
        say("plan.even") if plan["divides"] else say("plan.last", last=plan["last_window_examples"]),
        say(
            "plan.total", updates=say.figures(f"{plan['updates_total']:,}"), epochs=say.figures(f"{plan['epochs']:.3g}")
        ),
    ]
    if plan["micro_batch_tokens"]:
        parts.append(say("plan.tokens", tokens=plan["micro_batch_tokens"]))
    return paragraph(" · ".join(parts), "sum")


def _results(found: Findings, say: Speech) -> list[tuple[str, str]]:
    run = found.run
    values: list[tuple[str, Any, Callable[[Any], str]]] = [
        ("result.loss", run.loss, lambda value: f"{value:.4f}"),
        ("result.mean", found.mean_loss, lambda value: f"{value:.4f}"),
        ("result.eval", run.eval_loss, lambda value: f"{value:.4f}"),
        *((name, value, lambda value: f"{value:.4f}") for name, value in run.eval_metrics.items()),
        ("result.examples", run.total_examples, lambda value: f"{value:,}"),
        ("result.targets", run.total_targets, lambda value: f"{value:,}"),
        ("result.seconds", run.seconds, say.duration),
        ("result.rate", found.targets_a_second, lambda value: f"{value:,.0f}"),
        ("result.memory", found.highest_memory, size),
        ("result.padding", found.padding, lambda value: f"{100 * value:.1f} %"),
    ]
    return [
        (
            say(name) if name.startswith("result.") else say.named("metric", name),
            shown(value) if name == "result.seconds" else say.figures(shown(value)),
        )
        for name, value, shown in values
        if value is not None
    ]


def _charts(found: Findings, say: Speech) -> str:
    updates, evaluations, memory = (found.series[name] for name in ("updates", "evaluations", "memory"))
    across = updates["update"]
    rates = [
        count / took if took > 0 else None for count, took in zip(updates["targets"], updates["duration"], strict=True)
    ]

    def chart(name: str, lines: list[Line], *, from_zero: bool = False) -> str:
        title = say(f"chart.{name}")
        svg = drawn(
            lines,
            title=title,
            x_title=say("axis.update"),
            say=lambda value: say.figures(number(value)),
            from_zero=from_zero,
        )
        return figure(title, [(line.name, line.colour) for line in lines if line.points()], svg)

    def line(name: str, colour: str, x: Any, y: Any, **how: bool) -> Line:
        return Line(say(f"line.{name}"), colour, x, y, **how)

    mebibytes = {
        name: [None if value is None else value / 2**20 for value in memory[name]]
        for name in ("allocated", "reserved", "resident")
    }
    charts = [
        chart(
            "loss",
            [
                line("training", "training", across, updates["loss"]),
                line("evaluation", "evaluation", evaluations["update"], evaluations["loss"], markers=True),
            ],
        ),
        chart(
            "memory",
            [
                line("resident", "training", memory["update"], mebibytes["resident"]),
                line("allocated", "allocated", memory["update"], mebibytes["allocated"]),
                line("reserved", "reserved", memory["update"], mebibytes["reserved"]),
            ],
            from_zero=True,
        ),
        chart("batch", [line("examples", "examples", across, updates["examples"], steps=True)], from_zero=True),
        chart("targets", [line("targets", "targets", across, updates["targets"], steps=True)], from_zero=True),
        chart("throughput", [line("throughput", "targets", across, rates)], from_zero=True),
        chart("learning-rate", [line("learning-rate", "training", across, updates["learning_rate"])], from_zero=True),
        chart("grad-norm", [line("grad-norm", "training", across, updates["grad_norm"])]),
    ]
    inside = "\n".join(filter(None, charts))
    return f'<div class="charts">\n{inside}\n</div>' if inside else ""


def _evaluations(found: Findings, say: Speech) -> str:
    shown = found.evaluations[-MOST_EVALUATIONS:]
    metrics = list(dict.fromkeys(name for each in shown for name in each["metrics"]))
    rows = [
        [
            say.figures(f"{each['update']:,}"),
            "–" if each["loss"] is None else say.figures(f"{each['loss']:.4f}"),
            *(say.figures(f"{each['metrics'][name]:.4f}") if name in each["metrics"] else "–" for name in metrics),
        ]
        for each in shown
    ]
    return table(
        [say("evaluation.update"), say("evaluation.loss"), *(say.named("metric", name) for name in metrics)], rows
    )


def _facts(run: Run, say: Speech) -> list[tuple[str, str]]:
    facts = run.facts or {}
    rows = [(say(f"fact.{name}"), _fact(name, facts[name], say)) for name in FACTS if facts.get(name) is not None]
    rows += [(name, str(version)) for name, version in facts.get("versions", {}).items()]
    rows += [
        (say(f"fact.{name}"), say.moment(moment)) for name in ("created", "ended") if (moment := getattr(run, name))
    ]
    return rows


def _fact(name: str, value: Any, say: Speech) -> str:
    if isinstance(value, int):
        return say.figures(f"{value:,}")
    return say.named("order", value) if name == "window_order" else str(value)
