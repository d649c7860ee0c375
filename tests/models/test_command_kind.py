import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import example

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.base import DivergedError, TrainingText
from rig.models.catalog import build_kind

TEXT = TrainingText(
    train=(Document(doc_id="t", text="o pão é bom. " * 20),),
    validation=(Document(doc_id="v", text="o pão"),),
    held_out=(Document(doc_id="h", text="é pão, não?"), Document(doc_id="i", text="o bom")),
)
ARGUMENTS = "--lr {lr} --seed {seed} --steps {steps} --data {data} --out {out}"


def silent(**_) -> None:
    return


def config(
    command: str, *, lr: float = 3.0, has_lr: bool = True, seeded: bool = True, **options: Any
) -> dict:
    return {
        "kind": {
            "name": "ours",
            "family": "command",
            "objective": "causal",
            "seeded": seeded,
            "has_lr": has_lr,
            "options": {"command": command, "loads": "scores", **options},
        },
        "train": {"lr": lr, "steps": 30},
    }


def script(folder: Path, text: str) -> str:
    """A command line that runs a script with all placeholders."""
    (folder / "train.py").write_text(text, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'train.py'))} {ARGUMENTS}"


def fit(folder: Path, text: str, **settings: Any):
    out = folder / "out"
    out.mkdir()
    return build_kind(config(script(folder, text), **settings)).fit(TEXT, seed=5, out=out, progress=silent)


def test_the_example_of_the_docs_trains_and_is_read(tmp_path: Path) -> None:
    told = []
    out = tmp_path / "out"
    out.mkdir()
    kind = build_kind(config(script(tmp_path, example("adapters.md", "train.py"))))
    result = kind.fit(TEXT, seed=5, out=out, progress=lambda **now: told.append(now))
    scores = result.model.score(TEXT.held_out)
    # Byte frequencies that were learned beat 256 equally likely bytes.
    assert sum(s.total_nats for s in scores) < 5.5 * sum(len(d.text.encode()) for d in TEXT.held_out)
    assert told[-1]["step"] == 30
    assert (out / "training.jsonl").read_text().count("\n") == 30
    assert len(result.facts["output_sha256"]) == 64


def test_the_script_is_an_input_and_the_interpreter_is_not(tmp_path: Path) -> None:
    more = tmp_path / "words.txt"
    more.write_text("a")
    kind = build_kind(config(script(tmp_path, ""), files=[str(more)]))
    assert set(kind.inputs(1).values()) == {tmp_path / "train.py", more}
    missing = build_kind(config(script(tmp_path, ""), files=[str(tmp_path / "none")]))
    with pytest.raises(ConfigError, match=r"option `files` of kind 'ours' names .*none"):
        missing.inputs(1)


SEES = """
import json, pathlib, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
data, out = pathlib.Path(given["--data"]), pathlib.Path(given["--out"])
names = sorted(path.name for path in data.iterdir())
held = [json.loads(line) for line in (data / "held_out.jsonl").open(encoding="utf-8")]
(out / "facts.json").write_text(json.dumps({
    "train_tokens": 7, "lr": given["--lr"], "seed": given["--seed"], "steps": given["--steps"],
    "names": " ".join(names), "held_out": held[0]["text"], "empty": not list(out.iterdir()), "dropped": [1],
}))
import pyarrow as pa, pyarrow.parquet as pq
rows = [(d["doc_id"], i, i, i + 1, -1.0) for d in held for i in range(len(d["text"]))]
names = ("doc_id", "token_index", "char_start", "char_end", "logprob")
table = pa.table(dict(zip(names, map(list, zip(*rows)))))
pq.write_table(table.replace_schema_metadata({"rig.logprob_base": "e"}), out / "scores.parquet")
"""


def test_what_the_program_is_given_and_what_it_says(tmp_path: Path) -> None:
    result = fit(tmp_path, SEES, lr=0.1)
    assert result.train_tokens == 7
    facts = dict(result.facts)
    assert (facts["lr"], facts["seed"], facts["steps"]) == ("0.1", "5", "30")
    assert facts["names"] == "held_out.jsonl train.jsonl validation.jsonl"
    assert facts["held_out"] == "é pão, não?"
    assert facts["empty"]
    assert "dropped" not in facts
    assert [s.total_nats for s in result.model.score(TEXT.held_out)] == [11.0, 5.0]


OUT = "import pathlib, sys\nout = pathlib.Path(sys.argv[sys.argv.index('--out') + 1])\n"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "raise SystemExit('out of memory')",
            ModelError,
            "ended with status 1; its last line: out of mem",
        ),
        ("", ModelError, "the command of kind 'ours' left no scores.parquet in its {out}"),
        (OUT + "(out / 'DIVERGED').write_text('loss nan at step 3')", DivergedError, "loss nan at step 3"),
        (OUT + "(out / 'scores.parquet').write_text('x')", DataError, "can't be read as parquet"),
        (OUT + "(out / 'facts.json').write_text('[1]')", ModelError, "must hold a JSON object .*, got list"),
        (OUT + "(out / 'facts.json').write_text('{\"n\": ' + '9' * 30 + '}')", ModelError, "must be below 2"),
        (OUT + "(out / 'facts.json').write_text('{\"train_tokens\": -5}')", ModelError, "at least 0, got -5"),
        (OUT + "(out / 'facts.json').write_text('{\"a\": NaN}')", ModelError, "a number that is not finite"),
        (
            OUT + "(out / 'facts.json').write_text('{\"train_tokens\": 1.5}')",
            ModelError,
            "`train_tokens` must be a whole number of at least 0, got 1.5",
        ),
        (SEES.replace("-1.0)", "float('nan'))"), DivergedError, "left scores that are not finite"),
    ],
)
def test_a_program_that_fails_says_how(tmp_path: Path, text: str, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        fit(tmp_path, text)


@pytest.mark.parametrize(
    ("command", "settings", "message"),
    [
        ("", {}, "must be a command line, got ''"),
        ("run 'x", {}, "can't be split into arguments: No closing quotation"),
        ("run {data} {out} {seed} {steps}", {}, r"must hold {lr} \(`has_lr`\)"),
        ("run {data} {out} {seed} {lr}", {}, r"must hold {steps} \(`has_lr`\)"),
        ("run {data} {out} {lr} {steps}", {}, r"must hold {seed} \(the kind is seeded\)"),
        ("run {out}", {"has_lr": False, "seeded": False}, "must hold {data}"),
        (
            "run {data} {out} {rate}",
            {"has_lr": False, "seeded": False},
            "`{rate}` in a command is no pl",
        ),
        ("run {data} {out} {", {"has_lr": False, "seeded": False}, "in a command is no placeholder"),
        ("run {data.x} {out} {data}", {"has_lr": False, "seeded": False}, "in a command is no placeholder"),
        (f"run {ARGUMENTS}", {"loads": "zip"}, "option `loads` of kind 'ours' must be one of hf, scores"),
        (f"run {ARGUMENTS}", {"shell": True}, "unknown option 'shell'"),
        (f"run {ARGUMENTS}", {"files": "a"}, "must be a list of paths, got 'a'"),
    ],
)
def test_a_wrong_declaration_is_refused(command: str, settings: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_kind(config(command, **settings))


def test_braces_can_be_written_and_no_shell_reads_the_line(tmp_path: Path) -> None:
    text = SEES.replace('"train_tokens": 7', '"train_tokens": 7, "last": sys.argv[-1]')
    line = script(tmp_path, text).replace("train.py", "train.py", 1) + " '--x' '{{a}};$HOME'"
    out = tmp_path / "out"
    out.mkdir()
    result = build_kind(config(line)).fit(TEXT, seed=1, out=out, progress=silent)
    assert result.facts["last"] == "{a};$HOME"


CUT_OFF = (
    OUT
    + r"""
(out / "training.jsonl").write_bytes(b'{"step": 1, "loss": 2}\n\xff\n[1]\n{"step": 2, "lo')
"""
)


def test_a_curve_that_is_cut_off_loses_nothing(tmp_path: Path) -> None:
    fit(tmp_path, CUT_OFF + SEES.replace('"empty": not list(out.iterdir()),', ""), lr=0.5)
    assert (tmp_path / "out" / "training.jsonl").read_text() == '{"loss": 2.0, "lr": 0.5, "step": 1}\n'
    assert not (tmp_path / "out" / "data").exists()


def test_a_command_without_a_file_must_name_some(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no file on the command line of kind 'ours' was found"):
        build_kind(config(f"trainer {ARGUMENTS}")).inputs(1)
    assert build_kind(config(f"trainer {ARGUMENTS}", files=[])).inputs(1) == {}


COPIES = """
import pathlib, shutil, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
assert not (pathlib.Path(given["--data"]) / "held_out.jsonl").exists()
shutil.copytree(CHECKPOINT, given["--out"], dirs_exist_ok=True)
"""


def test_a_checkpoint_that_the_command_leaves_is_loaded(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
    pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")
    import hf_checkpoints
    import safetensors.torch

    checkpoint = hf_checkpoints.gpt2(tmp_path / "made")
    text = COPIES.replace("CHECKPOINT", repr(str(checkpoint)))
    result = fit(tmp_path, text, loads="hf", hf={"context": 16})
    assert [scores.n_chars for scores in result.model.score(TEXT.held_out)] == [11, 5]
    assert (result.facts["model_type"], result.facts["context"]) == ("gpt2", 16)

    weights = safetensors.torch.load_file(checkpoint / "model.safetensors")
    weights["transformer.wte.weight"][0, 0] = float("nan")
    safetensors.torch.save_file(weights, checkpoint / "model.safetensors", metadata={"format": "pt"})
    (tmp_path / "again").mkdir()
    with pytest.raises(DivergedError, match="not finite"):
        fit(tmp_path / "again", text, loads="hf")
    wrong = config(script(tmp_path, text), loads="hf", hf={"contxt": 16})
    with pytest.raises(ConfigError, match="unknown option 'contxt' of `hf` of kind 'ours'"):
        build_kind(wrong)
