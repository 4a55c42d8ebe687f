"""A run's model on the Hub: by choice, from the command line, with the usual token."""

from __future__ import annotations

from pathlib import Path

from engine.errors import RunError, reason_of
from engine.events import ALIVE
from engine.export import trained
from engine.hub import is_id, offline
from engine.store import Store


def push(store: Store, run: int, name: str, *, private: bool = False) -> str:
    """Sends the run's model folder, its card included, to the repository `owner/name`; returns its address.

    The repository is made where there is none. The token is the one that `hf auth login` keeps, or HF_TOKEN; it is
    neither read nor kept here.

    Raises:
        StoreError: there is no such run.
        RunError: it left no model, or the Hub can't be reached or refuses.
    """
    found = trained(store, run)
    if found.state in ALIVE:
        raise RunError("export.alive", run=run)
    folder = store.home / "runs" / str(run) / "model"
    if not folder.is_dir():
        raise RunError("export.no-model", run=run)
    if "/" not in name or not is_id(name):
        raise RunError("push.name", name=name)
    if offline():
        raise RunError("push.offline")
    return _sent(folder, name, private=private, message=f"Run {run} of Birikim")


def _sent(folder: Path, name: str, *, private: bool, message: str) -> str:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    api = HfApi()
    try:
        # a repository that is there keeps what it is, public or not
        address = api.create_repo(name, private=private or None, exist_ok=True)
        api.upload_folder(repo_id=name, folder_path=folder, commit_message=message)
    except LocalTokenNotFoundError:
        raise RunError("push.no-token") from None
    except HfHubHTTPError as problem:
        status = getattr(problem.response, "status_code", None)
        if status == 401:
            raise RunError("push.no-token") from None
        raise RunError("push.refused", name=name, reason=reason_of(problem)) from None
    except Exception as problem:
        raise RunError("push.unreachable", reason=reason_of(problem)) from None
    return str(address)
