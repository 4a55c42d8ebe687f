"""Of the page's program, the home folder and the session on it."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    # ---- the page's program ----
    "page.open-to-others": Wording(
        "{option} would open the page to other machines without a password.",
        "Add --auth-file FILE, with one user:password a line.",
    ),
    "page.other-name": Wording(
        "Birikim answers here to localhost alone.", "To be reached by another name, start it with --host."
    ),
    "page.other-page": Wording("Only Birikim's own page may do that.", ""),
    "page.auth-file": Wording("The file {path} of --auth-file can't be read: {reason}.", "Check the path."),
    "page.auth-line": Wording("Line {line} of {path} is no user:password.", "Write one user:password a line."),
    "page.auth-empty": Wording("The file {path} of --auth-file names nobody.", "Write one user:password a line."),
    "page.class-password": Wording(
        "--class needs a teacher's password.", "Set {variable}, or add --auth-file FILE with one user:password a line."
    ),
    "page.no-door": Wording(
        "The students' page can't be opened at port {port} of {host}.", "Try another --class-port."
    ),
    "page.port-taken": Wording(
        "Port {port} of {host} can't be used: {reason}.",
        "Choose another with --port; for the students' page with --class-port.",
    ),
    "page.no-port": Wording("No port from {first} to {last} of {host} is free.", "Choose one with --port."),
    # ---- the home folder ----
    "store.not-a-folder": Wording(
        "The home folder {path} can't be made: a file stands in its place.", "Choose another one with --home."
    ),
    "store.not-writable": Wording(
        "The home folder {path} can't be written ({reason}).",
        "Change its permissions, or choose another one with --home.",
    ),
    "store.disk-full": Wording(
        "The disk that holds the home folder is full.", "Free some space and start again; what was recorded is kept."
    ),
    "store.newer": Wording(
        "{path} was written by a newer Birikim (format {found}, this one knows {known}).",
        "Update Birikim, or choose another home folder with --home.",
    ),
    "store.foreign": Wording("{path} belongs to another program.", "Choose another home folder with --home."),
    "store.corrupt": Wording(
        "{path} is damaged ({reason}).",
        "Move it away, and Birikim begins a new one; or choose another home folder with --home.",
    ),
    "store.cannot-open": Wording(
        "{path} can't be opened ({reason}).", "Check that it is a file and that its folder can be written."
    ),
    "store.busy": Wording(
        "{path} could not be read or written in time.",
        "Another program keeps it busy, or the disk is slow: try again when it is done.",
    ),
    "store.failed": Wording("{path} can't be used: {reason}.", "Check the disk, or choose another home with --home."),
    "store.closed": Wording("The store has been closed already.", "Start Birikim again."),
    "store.no-run": Wording("There is no run {run}.", "Choose one from the list of runs."),
    "store.which-run": Wording("No run is named.", "Choose one from the list of runs."),
    "session.no-libraries": Wording(
        "The training libraries don't load: {problem}.",
        "Install them anew, as the README says, and start Birikim again.",
    ),
    "session.no-command": Wording("There is no command “{command}”.", "Use one of: {commands}."),
    "session.full": Wording(
        "{most} runs, proofs and measurements are waiting already.", "Stop some of them, or wait until they are done."
    ),
    "session.ended": Wording("Run {run} has ended ({state}).", "Start a new one."),
}
