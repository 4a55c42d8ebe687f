"""What the page is served with: style sheet, scripts, Plotly from its own package, and the words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gui import charts, fit, form, learn, memory, preview
from gui.files import ASSETS, AT, FOR_GOOD, PLOTLY, plotly
from gui.gone import MayGoAway
from gui.guard import Guard
from gui.head import HeadFirst
from gui.origin import OwnPage
from gui.text import TABLES, translations
from gui.text.tongues import tongues
from gui.theme import theme
from gui.uploads import MOST_BYTES

INLINE = ("before", "restore")
"""Scripts that run in the head, before any other."""


NOT_AHEAD = (
    *INLINE,
    *("preview", "prove", "memory", "settings", "standing", "part-chart", "learn", "explore"),
    *("compare", "sweep", "class", "own-experiment"),
)
"""How scripts begin that are in the page already, or that wait until their tab is opened."""


def launch_options(
    *, local: bool, renew: Callable[[], None] = lambda: None, routes: Sequence[Route] = ()
) -> dict[str, Any]:
    """Keyword arguments for `Blocks.launch`, beside address and authentication. `local`: only this machine listens.

    `renew` is called before each page. `routes` are served beside the page, and each asks for the login itself.
    """
    return {
        "theme": theme(),
        "i18n": translations(),
        "favicon_path": str(ASSETS / "favicon.svg"),
        "footer_links": [],
        "run_history": False,
        "max_file_size": MOST_BYTES,
        "ssr_mode": False,
        "pwa": False,
        "quiet": True,
        "app_kwargs": {
            "routes": [*_routes(), *routes],
            "middleware": [
                Middleware(OwnPage, local=local),
                Middleware(Guard),
                Middleware(HeadFirst, head=_head(), renew=renew),
                Middleware(MayGoAway),
            ],
        },
    }


def _routes() -> list[Mount | Route]:
    def charts_script(_: Any) -> Response:
        return Response(plotly(), media_type="text/javascript", headers={"Cache-Control": FOR_GOOD})

    return [Route(f"/{PLOTLY}", charts_script), Mount(f"/{AT}", _KeptFiles(directory=ASSETS))]


class _KeptFiles(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = FOR_GOOD
        return response


def _head() -> str:
    """The style sheets, the words, the charts and what else the scripts know as data, and the scripts themselves."""
    setup = {
        "words": TABLES,
        "tongues": tongues(),
        "charts": charts.for_page(),
        "fits": fit.for_page(),
        "places": form.places(),
        "cards": memory.for_page(),
        "uploads": preview.for_page(),
        "lessons": learn.for_page(),
        "plotly": PLOTLY,
    }
    data = json.dumps(setup, ensure_ascii=False).replace("<", "\\u003c")
    return "".join(
        [
            f'<meta name="birikim-languages" content="{" ".join(TABLES)}">',
            *(f"<script>{(ASSETS / f'{name}.js').read_text(encoding='utf-8')}</script>" for name in INLINE),
            *(f'<link rel="stylesheet" href="{AT}/{file.name}">' for file in sorted(ASSETS.glob("*.css"))),
            f'<script type="application/json" id="birikim-setup">{data}</script>',
            *(
                f'<link rel="modulepreload" href="{AT}/{file.name}">'
                for file in sorted(ASSETS.glob("*.js"))
                if not file.stem.startswith(NOT_AHEAD)
            ),
        ]
    )
