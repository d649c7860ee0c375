"""The task files of `nano_pt`: fixed, committed, and what these functions write again byte for byte."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rig.core.files import write_text
from rig.core.seeding import stream
from rig.data.agreement_items import write_agreement_pairs
from rig.data.nano_pt import syntax
from rig.data.nano_pt.agreement import PAIRS_SEED, agreement_pairs
from rig.data.nano_pt.exact import surface_units
from rig.data.nano_pt.sampler import Sampler, written_text
from rig.data.nano_pt.similarity import SIMILARITY_SEED, similarity_csv, similarity_pairs

N_AGREEMENT: Final = 200
N_SIMILARITY: Final = 300
N_PROMPTS: Final = 50
PROMPTS_SEED: Final = 20_252
_FOLDER: Final = Path(__file__).parent / "tasks"


def task_files() -> Mapping[str, Path]:
    """The committed files by role, as a data config names them."""
    return {
        "agreement": _FOLDER / "agreement.tsv",
        "similarity.nano_pt": _FOLDER / "similarity.csv",
        "prompts": _FOLDER / "prompts.txt",
    }


def write_task_files(folder: Path) -> None:
    """Write `agreement.tsv`, `similarity.csv` and `prompts.txt` into a folder."""
    write_agreement_pairs(folder / "agreement.tsv", agreement_pairs(N_AGREEMENT, seed=PAIRS_SEED))
    pairs = similarity_pairs(N_SIMILARITY, seed=SIMILARITY_SEED)
    write_text(folder / "similarity.csv", similarity_csv(pairs))
    write_text(
        folder / "prompts.txt", "".join(f"{prompt}\n" for prompt in prompts(N_PROMPTS, seed=PROMPTS_SEED))
    )


def prompts(n_prompts: int, *, seed: int) -> tuple[str, ...]:
    """Distinct beginnings of sentences of the test grammar: their first 2 to 4 units, none cut at a comma."""
    grammar = syntax.test_grammar()
    rng = stream(seed, "nano_pt", "prompts")
    sampler = Sampler(grammar, rng=rng)
    found: dict[str, None] = {}
    while len(found) < n_prompts:
        units = surface_units(sampler.sentence(), grammar)
        beginning = units[: int(rng.integers(2, 4, endpoint=True))]
        if beginning[-1] not in (",", ".") and len(beginning) < len(units):
            found[written_text(beginning)] = None
    return tuple(found)
