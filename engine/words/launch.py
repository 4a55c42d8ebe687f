"""Of several processes: the number of them, the file that says it, and what can't be shared by them."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "launch.neither": Wording(
        "“{field}” says neither how many processes nor by which file.",
        "Write {{processes: 2}} or {{accelerate_config: cluster.yaml}} there, or remove it.",
    ),
    "launch.both": Wording(
        "“{field}” says how many processes there are, and so does launch.processes.", "Keep one of the two."
    ),
    "launch.elsewhere": Wording(
        "“{field}” can't be named from a page that others may open: it is a file of this machine.",
        "Set launch.processes, or train from the command line.",
    ),
    # ---- the file of accelerate ----
    "launch.no-file": Wording("There is no file {path} of `accelerate config`.", "Check the path."),
    "launch.unreadable": Wording("{path} can't be read: {reason}.", "Check its permissions."),
    "launch.no-settings": Wording(
        "{path} holds no settings of `accelerate config`.", "Make it anew: accelerate config --config_file {path}"
    ),
    "launch.syntax": Wording("{path} is no valid YAML at line {line}, column {column}.", "Mend that line."),
    "launch.environment": Wording(
        "{path} sets compute_environment to {value}, a service that starts programs elsewhere.",
        "Set it to LOCAL_MACHINE; several machines of your own are that too.",
    ),
    "launch.own-accumulation": Wording(
        "{path} sets distributed_type to {kind}, whose engine would accumulate gradients its own way.",
        "Set it to MULTI_GPU, MULTI_CPU or FSDP: there the accumulation is exact.",
    ),
    "launch.value": Wording("In {path} {key} can't be {value}.", "Choose one of: {wanted}."),
    "launch.quotes": Wording(
        "In {path} {key} is {value} without quotes, which accelerate takes for false.", "Write '{value}' in quotes."
    ),
    "launch.part": Wording("{path} fills in {key}, by which Birikim can't train.", "Remove that section."),
    "launch.compiled": Wording(
        "{path} sets dynamo_backend to {value}.", "Set it to 'NO'; training.torch_compile compiles the model."
    ),
    "launch.no-processes": Wording(
        "{path} doesn't say how many processes there are.", "Set num_processes, over all machines together."
    ),
    "launch.one-process": Wording(
        "In {path} distributed_type is NO, and num_processes is {processes}.",
        "Set distributed_type to MULTI_GPU or MULTI_CPU, or num_processes to 1.",
    ),
    "launch.machines": Wording(
        "In {path} num_processes is {processes}, which {machines} machines can't share evenly.",
        "Set it to a multiple of num_machines.",
    ),
    "launch.fsdp-version": Wording(
        "{path} asks for the first version of FSDP, in which a window does not add up exactly.",
        "Set fsdp_version: 2 under fsdp_config.",
    ),
    # ---- the file beside the config ----
    "launch.precision": Wording(
        "{path} sets mixed_precision to {value}, and the config says {ours}.",
        "Set training.{value}: true, or mixed_precision to 'no'.",
    ),
    "launch.accumulation": Wording(
        "{path} sets gradient_accumulation_steps to {value}, and the config to {ours}.",
        "Remove it there; training.gradient_accumulation_steps says it.",
    ),
    "launch.cpu": Wording(
        "{path} has the processes on the CPU, and device is {value}.", "Remove device, or set it to cpu."
    ),
    "launch.not-first": Wording(
        "{path} is the file of machine {machine}, and machine 0 leads the run and tells of it.",
        "Start the run there, and here: accelerate launch --config_file {path} --module engine train CONFIG",
    ),
    # ---- started by hand ----
    "launch.half-started": Wording(
        "The environment speaks of {size} processes (WORLD_SIZE), and does not set {missing}.",
        "Unset WORLD_SIZE, or start the processes by accelerate launch or torchrun.",
    ),
    "launch.other-number": Wording(
        "“{field}” is {value}, and {processes} processes were started.",
        "Start as many as the config says, or leave the key out.",
    ),
    # ---- while they train ----
    "run.one-gpu": Wording(
        "This run takes one GPU, {device}, of the {gpus} that are here.",
        "Set launch.processes to train on several.",
    ),
    "launch.other-config": Wording(
        "Two processes were told to train different things.", "Give each machine the same config and the same --set."
    ),
    "launch.failed": Wording("Process {rank} has failed: {message}", "{remedy}"),
    "launch.gone": Wording(
        "Process {rank} is gone: it was killed, or its machine can't be reached.",
        "Look for its last words in the run's processes.log, then resume the run from its last checkpoint.",
    ),
    "launch.hangs": Wording(
        "Process {rank} has kept the others waiting for {seconds} seconds.",
        "Look what holds it up, or raise training.ddp_timeout, then resume the run from its last checkpoint.",
    ),
    "launch.broken": Wording(
        "The processes have lost each other: {problem}.",
        "Check the network between them, then resume the run from its last checkpoint.",
    ),
    "launch.ended": Wording(
        "Process {rank} has ended with {how}.",
        "Its last words are in {log}. Resume the run from its last checkpoint.",
    ),
    "launch.lost": Wording(
        "What had started the processes has ended with {how}, and they with it.",
        "Their last words are in {log}. Resume the run from its last checkpoint.",
    ),
    "launch.not-started": Wording("The processes did not come to train: {problem}.", "More is in {log}."),
    "launch.no-layout": Wording(
        "accelerate can't lay out {name} in parts: {problem}.",
        "Name its blocks as fsdp_transformer_layer_cls_to_wrap in the file, or train without FSDP.",
    ),
    "launch.sharded": Wording(
        "“{field}” needs whole weights in one process, and FSDP lays them out in parts.",
        "Remove it, or train without FSDP.",
    ),
    # ---- what several processes can't have ----
    "launch.halves": Wording(
        "“{field}” halves the micro-batch of one process, and here are {processes}.",
        "Remove it; `birikim fit` finds the largest micro-batch that fits.",
    ),
    "launch.one-device": Wording(
        "“{field}” is {value}, one GPU for {processes} processes that need one each.",
        "Set it to cuda, which gives each its own, or to cpu.",
    ),
    "launch.mps": Wording(
        "{processes} processes can't share the GPU of a Mac.", "Set device to cpu, or launch.processes to 1."
    ),
    "launch.too-few-gpus": Wording(
        "{processes} processes on this machine need a GPU each, and it has {gpus}.",
        "Set “{field}” to {gpus} or fewer, or device to cpu.",
    ),
}
