"""`rig export-template`: the held-out texts, and an example of the scores that another program writes."""

from pathlib import Path

import click

from rig.cli.options import conf_dir_option, runs_dir_option
from rig.core.documents import json_lines
from rig.core.errors import UsageError
from rig.core.files import write_text
from rig.experiment.config import compose_kind, find_conf_dir
from rig.experiment.datasets import prepare
from rig.models.scores_file import example_scores, write_scores

_KIND = """\
# Goes to conf/kind/{name}.yaml, or into the KINDS of a plugin. With one file a seed, write {{seed}} into
# `path` and `seeded: true`.
name: {name}
description: Scores computed by another program.
family: scores
objective: causal
seeded: false
has_lr: false
options: {{path: {path}}}
"""


@click.command("export-template", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write; must be new.")
@click.option("--split", type=click.Choice(["test", "validation"]), default="test", show_default=True)
@runs_dir_option
@conf_dir_option
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUE]...")
def export_template(
    out: Path, split: str, runs_dir: Path, conf_dir: Path | None, overrides: tuple[str, ...]
) -> None:
    """Write what a program needs to take part by its scores alone, whatever it is written in.

    OUT/held_out.jsonl holds the texts to be scored, train.jsonl and validation.jsonl those to learn from;
    OUT/scores.parquet is a whole, valid file of scores (of a model for which every Unicode code point is
    equally likely: 20.087 bits per character), and OUT/kind.yaml the config that reads it. Data are chosen
    as in the main job: data=parquet data.path=DIR.
    """
    if out.exists():
        raise UsageError(f"--out {out} exists; name a new folder")
    conf = find_conf_dir(conf_dir)
    any_kind = conf.names("kind")[0]
    data = prepare(compose_kind(conf, any_kind, overrides)["data"], conf=conf, cache=runs_dir / "data")
    documents = list(data.annotations.documents(split))
    out.mkdir(parents=True)
    write_text(out / "train.jsonl", json_lines(data.annotations.documents("train")))
    write_text(out / "validation.jsonl", json_lines(data.annotations.documents("validation")))
    write_text(out / "held_out.jsonl", json_lines(documents))
    write_scores(out / "scores.parquet", [example_scores(document) for document in documents])
    write_text(out / "kind.yaml", _KIND.format(name="mine", path=out / "scores.parquet"))
    click.echo(f"{len(documents)} documents of {data.name}'s {split} split, with example scores, in {out}")
    click.echo(
        "Each token is one row: doc_id, token_index, char_start, char_end, logprob (natural logarithm)."
    )
