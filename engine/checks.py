"""What can be told wrong of a config at a glance, before anything is loaded that takes long."""

from __future__ import annotations

from engine import datasets, models
from engine.config import RunConfig, check_own_code, reporters
from engine.config.reporting import AT_HOME
from engine.errors import ConfigError
from engine.processes import check_processes
from engine.support import check_supported


def check(config: RunConfig, *, own_code: bool = False) -> None:
    """Raises ConfigError naming the field.

    `own_code`: it comes from the command line, where a config may name Python files to be run, and whom else to tell.
    """
    check_own_code(config, allowed=own_code)
    check_processes(config, own_files=own_code)
    check_supported(config)
    elsewhere = [name for name in reporters(config.training) if name not in AT_HOME]
    if elsewhere and not own_code:
        raise ConfigError("config.reports-elsewhere", field="training.report_to", name=elsewhere[0])
    models.check(config.model, config.task)
    datasets.check(config.data, config.task)
    if datasets.holds_conversations(config.data, config.task) and models.has_chat_template(config.model) is False:
        raise ConfigError("task.no-chat-template", field="model")
    if config.data.path is not None:
        # a file of moderate size is read at once, so that a wrong row is told here
        datasets.training_rows(config.data, config.task, seed=config.seed)
