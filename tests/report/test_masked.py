"""Masked kinds have tables of their own, beside those of causal kinds or alone."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from synthetic_reports import BASE, CHARS, VARIANT, record_of, row, written

from rig.core.sums import Sums
from rig.metrics.catalog import metrics_of
from rig.report.build import Report, report_of_rows
from rig.report.rows import SeedRow

CAUSAL_SUMS = {"ce": "pll_l2r", "wce": "wpll_l2r"}


def masked_row(kind: str, seed: int, bpc: float) -> SeedRow:
    """The causal row of these bits, its nats taken for pseudo-likelihood."""
    made = row(kind, seed, bpc, objective="masked")
    assert made.sums is not None
    names: list[str] = []
    columns: list[int] = []
    for index, name in enumerate(made.sums.names):
        stem, _, word_class = name.partition("_")
        if stem in CAUSAL_SUMS:
            names.append(f"{CAUSAL_SUMS[stem]}_{word_class}" if word_class else CAUSAL_SUMS[stem])
            columns.append(index)
    weight, total = made.sums.weight[:, columns], made.sums.total[:, columns]
    names += ["wpll_l2r[seen=unseen]"]
    sums = Sums(
        doc_ids=made.sums.doc_ids,
        names=tuple(names),
        total=np.column_stack([total, CHARS]),
        weight=np.column_stack([weight, CHARS / 2.0]),
    )
    values, test_values = {}, {}
    for name, metric in metrics_of("masked").items():
        ratio = sums.ratio(metric.sums)
        values[name], test_values[name] = metric.value(ratio), ratio
    return dataclasses.replace(made, values=values, test_values=test_values, reasons={}, sums=sums)


def report(masked: Mapping[str, Mapping[int, float]], causal: Mapping[str, Mapping[int, float]]) -> Report:
    kinds = [*masked, *causal]
    record = record_of(
        kinds, [41, 42, 43], objectives=dict.fromkeys(masked, "masked"), primary="pppl_l2r",
        family=["pppl_l2r"],
    )  # fmt: skip
    rows = [masked_row(kind, seed, bpc) for kind, of_kind in masked.items() for seed, bpc in of_kind.items()]
    rows += [row(kind, seed, bpc) for kind, of_kind in causal.items() for seed, bpc in of_kind.items()]
    return report_of_rows(record, rows)


def page(made: Report, folder: Path) -> str:
    return (written(made, folder / "report") / "report.md").read_text(encoding="utf-8")


def test_masked_kinds_alone_have_pseudo_perplexities_and_no_empty_tables(tmp_path: Path) -> None:
    text = page(report({"base": BASE, "new": VARIANT}, {}), tmp_path)
    assert "in pppl_l2r over 3 seeds" in text
    assert "**Masked accuracy and pseudo-perplexity per seed**" in text
    assert "**Pseudo-perplexity per word by class, word left to right, mean ± std over seeds**" in text
    assert "**Nats of pseudo-likelihood per word, word left to right, by seen, pooled over seeds**" in text
    # 310 characters of CHARS over half as many words, from each of the kinds.
    assert "| unseen | 2.000 | 2.000 |" in " ".join(text.split())
    assert "A masked kind's pseudo-likelihood hides every token once" in text
    for causal in ("Bits per character by class", "Perplexity and bits per character", "given BOS"):
        assert causal not in text


def test_each_objective_has_its_own_kinds_in_its_own_tables(tmp_path: Path) -> None:
    text = page(report({"base": BASE, "new": VARIANT}, {"plain": BASE}), tmp_path)
    masked = text.split("**Masked accuracy and pseudo-perplexity per seed**")[1].split("**")[0]
    causal = text.split("**Perplexity and bits per character per seed**")[1].split("**")[0]
    assert "plain" not in masked
    assert "base" not in causal
    assert "plain and base are not compared on pppl_l2r: the kinds have different objectives." in text
