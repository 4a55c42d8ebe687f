"""Assembles the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from engine import Disk, Lessons, Session, Store, Sweeps, Takeaways
from gui import compare, history, learn, memory, player, preview, proofs, sweep, take
from gui.classroom.teacher import Classroom
from gui.live import command_function, server_functions
from gui.panels import classroom as class_panel
from gui.panels import explore, runs
from gui.panels.data import Data
from gui.panels.learn import LearnPanel
from gui.panels.memory import MemoryPanel
from gui.panels.prove import ProvePanel
from gui.panels.train import TrainPanel
from gui.scripted import module, scripted
from gui.serving import launch_options
from gui.text import word
from gui.uploads import Uploads
from gui.written import IN_OTHER_LANGUAGE, QUIET, WITH_LINK, config_before

__all__ = ["build", "launch_options"]


def build(
    session: Session,
    store: Store,
    takeaways: Takeaways,
    sweeps: Sweeps,
    *,
    local: bool = True,
    classroom: Classroom | None = None,
) -> tuple[gr.Blocks, Callable[[], None]]:
    """The page over `store`, whose Start and buttons reach `session`, and what renews the settings that it opens with.

    `local`: it is for this machine alone. `classroom`: the class whose teacher's page it is. Launch it with
    `launch_options()`.
    """
    uploads = Uploads(store.home)
    uploads.receive()
    data = Data(uploads, *preview.server_functions(session, uploads, local=local))
    live_functions = server_functions(session, store)
    list_functions = history.server_functions(store, Disk(store.home), uploads)
    proof_functions = [*proofs.server_functions(store), command_function(session)]
    memory_functions = [*memory.server_functions(session, store), command_function(session)]
    with gr.Blocks(title=word("app.name"), analytics_enabled=False, fill_width=True) as page:
        masthead = scripted("masthead", "masthead", "mount(element, trigger)")
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap"):
            with gr.Tab(word("tab.train"), id="train", elem_id="tab-train"):
                train = TrainPanel(
                    session,
                    store,
                    [*live_functions, memory.savers_function(session), *player.server_functions(store)],
                    take.server_functions(store, takeaways),
                    data,
                )
            with gr.Tab(word("tab.prove"), id="prove", elem_id="tab-prove"):
                prove = ProvePanel(session, proof_functions)
            with gr.Tab(word("tab.memory"), id="memory", elem_id="tab-memory"):
                memory_panel = MemoryPanel(memory_functions)
            with gr.Tab(word("tab.learn"), id="learn", elem_id="tab-learn"):
                learn_panel = LearnPanel(learn.server_functions(Lessons(session, store)))
            with gr.Tab(word("tab.explore"), id="explore", elem_id="tab-explore"):
                sweep_panel = explore.lay(compare.server_functions(store), sweep.server_functions(sweeps, store))
            with gr.Tab(word("tab.runs"), id="runs", elem_id="tab-runs"):
                runs.lay(list_functions)
            if classroom:
                with gr.Tab(word("tab.class"), id="class", elem_id="tab-class"):
                    class_panel.lay(classroom)
        train.listen(
            page,
            [prove.settings, memory_panel.settings, sweep_panel.settings],
            [memory_panel.view, learn_panel.view, sweep_panel.view],
        )
        prove.listen(train.written)
        masthead.input(None, train.written, None, js=IN_OTHER_LANGUAGE, **QUIET)
        masthead.copy(None, train.written, None, js=WITH_LINK, **QUIET)
        page.load(None, None, None, js=f"async () => {{ (await {module('tabs')}).keepTab(); }}", **QUIET)

    def renew() -> None:
        config = config_before(store)
        panels = (train, prove, memory_panel, sweep_panel)
        _open_with(page, {name: value for panel in panels for name, value in panel.opening(config).items()})

    return page, renew


def _open_with(page: gr.Blocks, values: dict[str, Any]) -> None:
    """Every page from now on shows `values`, by element id, without asking for them."""
    for component in page.config["components"]:
        name = component["props"].get("elem_id")
        if name in values:
            component["props"]["value"] = values[name]
