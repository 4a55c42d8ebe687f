"""What a run *is*: one YAML says all of it, the same on the page, on the command line and in a saved run."""

from engine.config.accelerate_file import AccelerateFile
from engine.config.attempt import AttemptRequest
from engine.config.continuing import check_continues
from engine.config.data import DataConfig, ProblemType
from engine.config.early_stopping import EarlyStopping
from engine.config.launch import LaunchSpec
from engine.config.library import LibraryField, training_fields
from engine.config.lora import LoraSpec
from engine.config.memory import MemoryRequest
from engine.config.noise import NoiseRequest
from engine.config.own_code import check_own_code
from engine.config.proof import ProofRequest
from engine.config.reporting import reporters
from engine.config.run import RunConfig, default_home
from engine.config.samples import SamplesSpec
from engine.config.sweep import SweepSpec

__all__ = [
    "AccelerateFile",
    "AttemptRequest",
    "DataConfig",
    "EarlyStopping",
    "LaunchSpec",
    "LibraryField",
    "LoraSpec",
    "MemoryRequest",
    "NoiseRequest",
    "ProblemType",
    "ProofRequest",
    "RunConfig",
    "SamplesSpec",
    "SweepSpec",
    "check_continues",
    "check_own_code",
    "default_home",
    "reporters",
    "training_fields",
]
