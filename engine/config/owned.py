"""Fields of TrainingArguments that Birikim decides itself, each with the code of the reason.

A value that asks for nothing (the library's default, null, or one of those listed) is accepted and left
out, so that a config written for `transformers` can be used as it is; any other value is refused.
"""

from __future__ import annotations

from typing import Any

_FOLDER = "config.owned-folder"
_RESUME = "config.owned-resume"
_TRACKER = "config.owned-tracker"
_HUB = "config.owned-hub"
_PROCESSES = "config.owned-processes"
_LOOP = "config.owned-loop"
_EVALUATION = "config.owned-evaluation"
_SCRIPT = "config.owned-script"

OWNED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "output_dir": (_FOLDER, ()),
    "resume_from_checkpoint": (_RESUME, ()),
    "ignore_data_skip": (_RESUME, ()),
    "restore_callback_states_from_checkpoint": (_RESUME, ()),
    "save_only_model": ("config.owned-checkpoint", ()),
    "project": (_TRACKER, ()),
    "trackio_space_id": (_TRACKER, ()),
    "trackio_bucket_id": (_TRACKER, ()),
    "trackio_static_space_id": (_TRACKER, (False,)),
    "push_to_hub": (_HUB, ()),
    "hub_token": (_HUB, ()),
    "hub_private_repo": (_HUB, ()),
    "hub_model_id": (_HUB, ()),
    "hub_strategy": (_HUB, ()),
    "hub_always_push": (_HUB, ()),
    "hub_revision": (_HUB, ()),
    "deepspeed": (_PROCESSES, ()),
    "fsdp": (_PROCESSES, ("", False)),
    "fsdp_config": (_PROCESSES, ()),
    "parallelism_config": (_PROCESSES, ()),
    "accelerator_config": (_PROCESSES, ()),
    "ddp_find_unused_parameters": (_PROCESSES, ()),
    "ddp_bucket_cap_mb": (_PROCESSES, ()),
    "ddp_broadcast_buffers": (_PROCESSES, ()),
    "ddp_static_graph": (_PROCESSES, ()),
    "ddp_backend": (_PROCESSES, ()),
    "local_rank": (_PROCESSES, ()),
    "average_tokens_across_devices": (_PROCESSES, ()),
    "log_on_each_node": (_PROCESSES, ()),
    "save_on_each_node": (_PROCESSES, ()),
    "log_level_replica": (_PROCESSES, ()),
    "logging_nan_inf_filter": (_LOOP, (False,)),
    "disable_tqdm": (_LOOP, (True,)),
    "skip_memory_metrics": (_LOOP, ()),
    "enable_jit_checkpoint": (_LOOP, ()),
    "include_num_input_tokens_seen": (_LOOP, (False,)),
    "debug": (_LOOP, ([],)),
    "label_names": (_EVALUATION, (["labels"],)),
    "prediction_loss_only": (_EVALUATION, ()),
    "eval_do_concat_batches": (_EVALUATION, ()),
    "eval_use_gather_object": (_EVALUATION, ()),
    "eval_accumulation_steps": (_EVALUATION, ()),
    "include_for_metrics": (_EVALUATION, ([],)),
    "batch_eval_metrics": (_EVALUATION, ()),
    "do_train": (_SCRIPT, (True,)),
    "do_eval": (_SCRIPT, (True,)),
    "do_predict": (_SCRIPT, ()),
}
"""Field → (code of the reason, further values that ask for nothing)."""
