"""The types of conf/: what each setting is, and what it may be. Hydra checks types, `check` the ranges.

Mutable, because Hydra composes into them; they are turned into plain values once, in `rig.experiment.config`.
"""

from dataclasses import dataclass, field
from typing import Any

MISSING: Any = "???"


@dataclass
class KindConfig:
    """conf/kind/NAME.yaml: a recipe that yields a model for each seed."""

    name: str = MISSING
    description: str = ""
    family: str = MISSING
    objective: str = "causal"
    seeded: bool = True
    has_lr: bool = True
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class DataConfig:
    """conf/data/NAME.yaml: annotated text with its splits, and the files of the tasks."""

    name: str = MISSING
    source: str = MISSING
    path: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    prompts: str | None = None
    agreement: str | None = None
    similarity: dict[str, str | None] = field(default_factory=dict)
    files: dict[str, str | None] = field(default_factory=dict)
    """Files of further tasks, by a role that the task names."""


@dataclass
class ModelConfig:
    """conf/model/NAME.yaml: size of the built-in transformer, and what trains it."""

    backend: str = "numpy"
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    context: int = 64


@dataclass
class TokenizerConfig:
    """conf/tokenizer/NAME.yaml."""

    type: str = "bpe"
    vocab_size: int = 1024


@dataclass
class TrainConfig:
    """conf/train/NAME.yaml: AdamW, linear warm-up, cosine decay."""

    steps: int = 2000
    batch_size: int = 8
    lr: float = 0.005
    warmup_steps: int = 100
    min_lr_ratio: float = 0.1
    weight_decay: float = 0.1
    beta1: float = 0.9
    beta2: float = 0.95
    eps: float = 1e-8
    clip_norm: float = 1.0


@dataclass
class ScoreConfig:
    """conf/score/NAME.yaml: how held-out text is scored."""

    split: str = "test"
    stride: int = 32
    batch_size: int = 32
    strata: list[str] = field(default_factory=list)
    pseudo_likelihood: bool = True
    """Of a masked kind; without it only masked accuracy, which takes a fraction of the time."""


@dataclass
class StatsConfig:
    """conf/stats/NAME.yaml: what is compared, declared before any cell runs."""

    primary: str = "bpc"
    family: list[str] = field(default_factory=lambda: ["bpc"])
    confidence_level: float = 0.95
    n_resamples: int = 10_000
    boot_seed: int = 20240
    sesoi: float | None = None
    margin: float | None = None


@dataclass
class SweepConfig:
    """conf/sweep/NAME.yaml: one variable over one grid."""

    variable: str = MISSING
    low: float = MISSING
    high: float = MISSING
    points: int = 10
    scale: str = "log"
    steps: int = 2000
    seed: int = 7
    metric: str = "ce"
    split: str = "validation"
    edge: str = "refuse"
    robust_width: float = 0.5


@dataclass
class LockConfig:
    """What may differ between a lock's sweep and its use."""

    transfer: list[str] = field(default_factory=list)


@dataclass
class RigConfig:
    """conf/config.yaml."""

    rig_schema: int = 1
    kind: KindConfig = field(default_factory=KindConfig)
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    score: ScoreConfig = field(default_factory=ScoreConfig)
    morphology: dict[str, Any] = field(default_factory=dict)
    stats: StatsConfig = field(default_factory=StatsConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    lock: LockConfig = field(default_factory=LockConfig)
    tasks: list[str] = field(default_factory=list)
    task: dict[str, Any] = field(default_factory=dict)
