"""The Prove tab: what is asked of a proof, and what the newest one has found."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine import ProofRequest, RunConfig, Session
from gui.answers import ServerFunction
from gui.plans import settings_of
from gui.scripted import scripted
from gui.written import QUIET, WHERE_WRITTEN, Pane, config_of, refusal


class ProvePanel:
    """Lays out the tab. It proves the settings of the Train tab: there is no second form of them."""

    def __init__(self, session: Session, functions: list[ServerFunction]) -> None:
        self._session = session
        self.settings = scripted(
            "prove-settings",
            "settings",
            "mount(element, props, watch, 'prove')",
            value=self.opening(RunConfig.default())["prove-settings"],
        )
        """What the settings mean for a proof, or why they are none."""
        self._view = scripted("prove", "prove", "mount(element, server, props, trigger, watch)", functions, value={})

    def opening(self, config: RunConfig) -> dict[str, Any]:
        """What the tab shows of `config` as a page opens, by element id."""
        return {"prove-settings": settings_of(config)}

    def listen(self, written: list[gr.components.Component]) -> None:
        """Lets the tab act on the settings that were `written`."""
        self._view.submit(self._asked, [*written, self._view], self._view, **{**QUIET, "js": WHERE_WRITTEN})

    def _asked(self, written: str, pane: Pane, *values: Any) -> dict[str, Any]:
        """The view's value is the request as the browser wrote it, and becomes the answer: `{proof}` or a fault."""
        *shown, request = values
        try:
            asked = ProofRequest.from_dict(request)
            return {"proof": self._session.prove(config_of(written, pane, tuple(shown)), asked)}
        except Exception as error:
            return refusal(error, "bad")
