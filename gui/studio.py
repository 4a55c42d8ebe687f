"""Assembles the page."""

from __future__ import annotations

import gradio as gr

from engine import Session, Store
from gui import proofs
from gui.live import command_function, server_functions
from gui.panels import runs
from gui.panels.prove import ProvePanel
from gui.panels.train import TrainPanel
from gui.scripted import module, scripted
from gui.serving import launch_options
from gui.text import word
from gui.written import QUIET

__all__ = ["build", "launch_options"]


def build(session: Session, store: Store) -> gr.Blocks:
    """The page over `store`, whose Start and buttons reach `session`. Launch it with `launch_options()`."""
    live_functions, list_functions = server_functions(session, store)
    proof_functions = [*proofs.server_functions(store), command_function(session)]
    with gr.Blocks(title=word("app.name"), analytics_enabled=False, fill_width=True) as page:
        scripted("masthead", "theme", "mount(element)")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab(word("tab.train"), id="train", elem_id="tab-train"):
                train = TrainPanel(session, store, live_functions)
            with gr.Tab(word("tab.prove"), id="prove", elem_id="tab-prove"):
                prove = ProvePanel(session, proof_functions)
            with gr.Tab(word("tab.runs"), id="runs", elem_id="tab-runs"):
                runs.lay(list_functions)
        train.listen(page, prove.settings)
        prove.listen(train.written)
        page.load(None, None, None, js=f"async () => {{ (await {module('tabs')}).keepTab(); }}", **QUIET)
    return page
