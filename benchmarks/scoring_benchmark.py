"""Score one text with one model by rig, by minicons and by lm-evaluation-harness, in one run.

Run from the repository: RIG_TEST_DATA=PATH/TO/data python benchmarks/scoring_benchmark.py
Needs `pip install 'rig[hf]' minicons lm-eval`. With RIG_TEST_DATA the text is the test split of UD
Portuguese-Bosque (`ud/Bosque`), else the embedded language.

The model is a GPT-2 of 4 layers and width 256 with random weights and byte-level BPE of 8,000 entries
from the train split. Every tool runs in processes of its own, with one thread, in turn. Times are CPU
seconds of the scoring call, so a busy machine changes them little; loading is left out. All give each
text one BOS. So over sentences the sums of nats must agree, and it is checked that they do. Over
documents rig's windows are disjoint here, as lm-evaluation-harness's are; but that one fills the last
window of a document up with context.

rig's time is that of a cell: annotations are read, every token score and all sums by word class are written.
"""

import importlib
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 2
"""Processes of each tool; the quicker one counts."""
BATCH_SIZE = 16
CONTEXT = 256
VOCAB_SIZE = 8_000
WIDTH, N_LAYERS, N_HEADS = 256, 4, 4
BOS = "<|endoftext|>"
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}
SENTENCES, DOCUMENTS = "sentences", "documents"
TOOLS = {SENTENCES: ("rig", "minicons", "lm-eval"), DOCUMENTS: ("rig", "lm-eval")}
"""minicons takes no text that is longer than the context."""


def prepare_text(folder: Path) -> list[str]:
    """Write the annotations to score, by name, under `folder`; the names."""
    from rig.data.conllu_import import import_conllu
    from rig.data.nano_pt import corpus
    from rig.data.schema import Metadata

    data = os.environ.get("RIG_TEST_DATA")
    if data is None:
        (folder / DOCUMENTS).symlink_to(corpus.ensure(folder, {}))
        return [DOCUMENTS]
    bosque = Path(data) / "ud" / "Bosque"
    files = {
        split: next(iter(bosque.glob(f"*-{name}*.conllu")))
        for split, name in {"train": "train", "validation": "dev", "test": "test"}.items()
    }
    metadata = Metadata(
        name="bosque",
        language="pt",
        annotator="manual",
        annotator_version="",
        model_sha256="",
        ud_version="",
        source="UD Portuguese-Bosque",
        licence="CC BY-SA 4.0",
    )
    import_conllu(files, folder / SENTENCES, metadata, document_per="sentence")
    import_conllu(files, folder / DOCUMENTS, metadata)
    return [SENTENCES, DOCUMENTS]


def prepare_model(annotations: Path, folder: Path) -> None:
    """Write the checkpoint."""
    import tokenizers
    import torch

    from rig.data.annotations import Annotations

    transformers: Any = importlib.import_module("transformers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=[BOS],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (document.text for document in Annotations.open(annotations).documents("train"))
    tokenizer.train_from_iterator(texts, trainer)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, eos_token=BOS, pad_token=BOS
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=tokenizer.get_vocab_size(),
        n_positions=CONTEXT,
        n_embd=WIDTH,
        n_layer=N_LAYERS,
        n_head=N_HEADS,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.2,  # distributions far from uniform
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)


Work = Callable[[], float]
"""Scores the whole text and returns its nats."""


def rig_work(checkpoint: Path, annotations: Path) -> Work:
    """A cell's scoring, written to a folder."""
    from rig.data.annotations import Annotations
    from rig.models.hf.load import load_model
    from rig.models.hf.options import HfOptions
    from rig.scoring import score_split
    from rig.store.tables import read_sums

    options = HfOptions(context=CONTEXT, stride=CONTEXT, batch_size=BATCH_SIZE, device="cpu")
    model = load_model(checkpoint, objective="causal", options=options)
    opened = Annotations.open(annotations)

    def work() -> float:
        with tempfile.TemporaryDirectory() as out:
            score_split(model, opened, {"split": "test", "strata": ["upos"]}, Path(out))
            return read_sums(Path(out) / "sums.parquet").pooled("ce")[0]

    return work


def minicons_work(checkpoint: Path, annotations: Path) -> Work:
    """Token scores, in batches in the text's order."""
    scorer = importlib.import_module("minicons.scorer").IncrementalLMScorer(str(checkpoint), "cpu")
    texts = texts_of(annotations)

    def work() -> float:
        total = 0.0
        for start in range(0, len(texts), BATCH_SIZE):
            scored = scorer.token_score(texts[start : start + BATCH_SIZE], bos_token=True)
            total -= sum(score for text in scored for _, score in text[1:])  # the first is BOS
        return total

    return work


def lm_eval_work(checkpoint: Path, annotations: Path) -> Work:
    """Rolling log-likelihoods, one a text."""
    causal = importlib.import_module("lm_eval.models.huggingface").HFLM(
        pretrained=str(checkpoint), device="cpu", batch_size=BATCH_SIZE, max_length=CONTEXT, dtype="float32"
    )
    instance = importlib.import_module("lm_eval.api.instance").Instance
    requests = [
        instance(request_type="loglikelihood_rolling", doc={}, arguments=(text,), idx=index)
        for index, text in enumerate(texts_of(annotations))
    ]

    def work() -> float:
        return -float(sum(causal.loglikelihood_rolling(requests, disable_tqdm=True)))

    return work


WORK_OF: dict[str, Callable[[Path, Path], Work]] = {
    "rig": rig_work,
    "minicons": minicons_work,
    "lm-eval": lm_eval_work,
}


def texts_of(annotations: Path) -> list[str]:
    """The texts to score."""
    from rig.data.annotations import Annotations

    return [document.text for document in Annotations.open(annotations).documents("test")]


def resident_mib() -> float:
    """Memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def measure(tool: str, checkpoint: Path, annotations: Path) -> dict[str, float]:
    """Time one tool here, in this process."""
    import torch

    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    work = WORK_OF[tool](checkpoint, annotations)
    before = resident_mib()
    start = time.process_time()
    nats = work()
    cpu_s = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "nats": nats,
        "cpu_s": cpu_s,
        "peak_mib": peak,
        "scoring_mib": max(0.0, peak - before),
    }


def measured_elsewhere(tool: str, checkpoint: Path, annotations: Path) -> dict[str, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, tool, str(checkpoint), str(annotations)]
    done = subprocess.run(
        command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stderr[-3000:]}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def n_tokens(checkpoint: Path, annotations: Path) -> int:
    """Tokens of the text, without BOS."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    return sum(len(tokenizer.encode(text).ids) for text in texts_of(annotations))


def compare(unit: str, checkpoint: Path, annotations: Path) -> None:
    """Run each tool in turn on one text and print a table."""
    tokens = n_tokens(checkpoint, annotations)
    runs: dict[str, list[dict[str, Any]]] = {tool: [] for tool in TOOLS[unit]}
    for _ in range(ROUNDS):
        for tool, held in runs.items():
            held.append(measured_elsewhere(tool, checkpoint, annotations))
    best = {tool: min(held, key=lambda run: run["cpu_s"]) for tool, held in runs.items()}
    print(f"\n{len(texts_of(annotations)):,} {unit}, {tokens:,} tokens\n")
    print("| tool | CPU time | tokens/s | rig is | process at its peak | of it for scoring | nats/token |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for tool, run in best.items():
        ratio = run["cpu_s"] / best["rig"]["cpu_s"]
        print(
            f"| {tool} | {run['cpu_s']:.2f} s | {tokens / run['cpu_s']:,.0f} | "
            f"{'' if tool == 'rig' else f'**{ratio:.2f} x**'} | {run['peak_mib']:.0f} MiB | "
            f"{run['scoring_mib']:.0f} MiB | {run['nats'] / tokens:.6f} |"
        )
    if unit == SENTENCES:  # every tool sees the same context
        for tool, run in best.items():
            if abs(run["nats"] / best["rig"]["nats"] - 1) > 1e-5:
                raise SystemExit(f"{tool} found {run['nats']} nats where rig found {best['rig']['nats']}")


def main() -> None:
    """Make the text and the model, then compare."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        names = prepare_text(root)
        prepare_model(root / names[0], root / "checkpoint")
        for name in names:
            compare(name, root / "checkpoint", root / name)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main()
