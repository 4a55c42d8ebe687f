"""Assembles the page."""

from __future__ import annotations

import gradio as gr

from engine import Session, Store
from gui.live import server_functions
from gui.panels import runs
from gui.panels.train import TrainPanel
from gui.scripted import scripted
from gui.serving import launch_options
from gui.text import word

__all__ = ["build", "launch_options"]


def build(session: Session, store: Store) -> gr.Blocks:
    """The page over `store`, whose Start and buttons reach `session`. Launch it with `launch_options()`."""
    live_functions, list_functions = server_functions(session, store)
    with gr.Blocks(title=word("app.name"), analytics_enabled=False, fill_width=True) as page:
        scripted("masthead", "theme", "mount(element)")
        with gr.Tabs(elem_id="tabs"):
            with gr.Tab(word("tab.train"), id="train", elem_id="tab-train"):
                TrainPanel(page, session, store, live_functions)
            with gr.Tab(word("tab.runs"), id="runs", elem_id="tab-runs"):
                runs.lay(list_functions)
    return page
