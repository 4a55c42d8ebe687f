"""What the page is served with."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.testclient import TestClient

from gui import serving


def options() -> dict[str, object]:
    return serving.launch_options()


def test_the_head_names_only_files_that_are_served_and_kept_for_good() -> None:
    head = str(options()["head"])
    app = Starlette(routes=options()["app_kwargs"]["routes"])  # type: ignore[index]
    with TestClient(app) as client:
        names = [*re.findall(r'href="([^"]+)"', head), serving.PLOTLY]
        assert len(names) > 10
        for name in names:
            answer = client.get(f"/{name}")
            assert answer.status_code == 200, name
            assert "immutable" in answer.headers["cache-control"]
        assert client.get(f"/{serving.AT}/../app.py").status_code == 404


def test_every_import_between_scripts_finds_its_file() -> None:
    for file in serving.ASSETS.glob("*.js"):
        for name in re.findall(r'from "\./([^"]+)"', file.read_text(encoding="utf-8")):
            assert (serving.ASSETS / name).is_file(), f"{file.name}: {name}"


def test_nothing_that_is_served_names_an_address_outside() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in serving.ASSETS.glob("*.*")}
    texts["head"] = str(options()["head"])
    for name, text in texts.items():
        assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)[\w-]+\.\w", text), name


def test_words_in_the_head_can_not_end_their_script() -> None:
    data = re.search(r'id="birikim-setup">(.*?)</script>', str(options()["head"]), re.DOTALL)
    assert data
    assert "<" not in data[1]
