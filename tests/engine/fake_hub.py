"""A Hub of our own on this machine: models and data whose files are those of a folder."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import datasets
from huggingface_hub import constants

REVISION = "0" * 39 + "1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    models: dict[str, Path]
    data: dict[str, Path]
    asked: list[str]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(self.path.split("?")[0])
        self.asked.append(f"{self.command} {path}")
        for name, folder in self.models.items():
            if self.repository(path, f"/api/models/{name}", f"/{name}/resolve", name, folder):
                return
        for name, folder in self.data.items():
            if self.repository(path, f"/api/datasets/{name}", f"/datasets/{name}/resolve", name, folder):
                return
        self.answer(404, b"{}", {"X-Error-Code": "RepoNotFound"})

    def repository(self, path: str, api: str, files: str, name: str, folder: Path) -> bool:
        if path in (api, f"{api}/revision/main", f"{api}/revision/{REVISION}"):
            names = [{"rfilename": file.name} for file in sorted(folder.iterdir())]
            self.json({"_id": "1", "id": name, "sha": REVISION, "siblings": names, "private": False, "tags": []})
        elif path in (f"{api}/tree/main", f"{api}/tree/{REVISION}"):
            self.json([entry(file) for file in sorted(folder.iterdir())])
        elif path.startswith(f"{api}/tree/"):
            self.answer(404, b"{}", {"X-Error-Code": "EntryNotFound"})
        elif path.startswith((f"{files}/main/", f"{files}/{REVISION}/")):
            self.file(folder / path.removeprefix(f"{files}/").partition("/")[2])
        else:
            return False
        return True

    def file(self, path: Path) -> None:
        if not path.is_file():
            return self.answer(404, b"", {"X-Error-Code": "EntryNotFound"})
        data = path.read_bytes()
        return self.answer(200, data, {"ETag": f'"{checksum(data)}"', "X-Repo-Commit": REVISION})

    def json(self, content: Any) -> None:
        self.answer(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def answer(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


def entry(file: Path) -> dict[str, Any]:
    return {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": checksum(file.read_bytes())}


def checksum(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@contextmanager
def fake_hub(
    monkeypatch: Any, models: dict[str, Path] | None = None, data: dict[str, Path] | None = None
) -> Iterator[list[str]]:
    """Points the Hub's clients here; yields the list of what they ask for."""
    asked: list[str] = []
    handler = type("Bound", (Handler,), {"models": models or {}, "data": data or {}, "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    point_at(monkeypatch, f"http://127.0.0.1:{server.server_port}")
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def point_at(monkeypatch: Any, endpoint: str) -> None:
    """Both libraries read these once, when they are imported."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", endpoint + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", endpoint)
