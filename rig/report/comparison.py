"""Rows of seeds to comparisons: each variant against the baseline, each metric on its right scale.

Perplexities are tested on their logarithm (nats); their raw difference stands beside as description. Kinds
that are not seeded stand in no test over seeds; perplexities and cross-entropies per token are not tested
across tokenizers, and nothing is tested across objectives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError, did_you_mean
from rig.core.seeding import stream
from rig.metrics.catalog import METRICS
from rig.report.duplicates import replicates
from rig.report.rows import Column, SeedRow
from rig.stats.multiplicity import holm
from rig.stats.paired import PairedComparison, compare
from rig.stats.verdict import Verdict, verdict

OTHER_TOKENS = "not compared: per token, and the kinds have different tokenizers"
OTHER_TOKENS_HIDDEN = "not compared: what is hidden differs, since the kinds have different tokenizers"

Row = dict[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One variant against the baseline on one metric."""

    kind: str
    baseline: str
    column: Column
    tested: PairedComparison | None
    """On the test scale; None where the two must not be compared, with the reason in `not_compared`."""
    raw: PairedComparison | None
    """On the scale of the table; the same as `tested` but for perplexities. None where a perplexity is too
    large for a number: the mean of the others would flatter the kind; and where objectives differ."""
    p_holm: float | None
    """Holm-adjusted within the declared family, or within all exploratory tests."""
    is_declared: bool
    """In the family that conf/stats declares."""
    verdict: Verdict | None
    seeds: tuple[int, ...]
    """The seeds that both kinds have a value of, ascending: those behind the differences."""
    not_compared: str
    """Why there is no test, or empty."""


def compare_kinds(
    rows: Sequence[SeedRow], catalog: Mapping[str, Column], record: Mapping[str, Any]
) -> list[Comparison]:
    """All comparisons of a report: variants in the record's order, metrics in the catalog's.

    Args:
        rows: Per-seed rows.
        catalog: What is known of each metric.
        record: report.json, for the baseline and the declared statistics.

    Raises:
        ConfigError: `stats.primary` or `stats.family` names a metric that the report does not have.
    """
    stats, baseline = record["stats"], record["baseline"]
    _check_declared(stats, catalog, rows)
    usable = replicates(rows)
    by_kind = {kind["name"]: [row for row in usable if row.kind == kind["name"]] for kind in record["kinds"]}
    is_seeded = {kind["name"]: kind["config"]["kind"]["seeded"] for kind in record["kinds"]}
    variants = [name for name in by_kind if name != baseline and is_seeded[name] and is_seeded[baseline]]
    drafts = []
    for variant in variants:
        base_rows, variant_rows = _aligned(by_kind[baseline], by_kind[variant], record["seeds"])
        tested = _compare(base_rows, variant_rows, catalog, record, on_test_scale=True)
        raw = _compare(base_rows, variant_rows, catalog, record, on_test_scale=False)
        is_other_question = len(_objectives(base_rows, variant_rows)) > 1
        for name, column in catalog.items():
            why_not = _why_not(column, base_rows, variant_rows)
            is_shown = not has_overflow((*base_rows, *variant_rows), name) and not is_other_question
            described = raw[name] if is_shown else None
            seeds = _paired_seeds(base_rows, variant_rows, name)
            drafts.append((variant, column, None if why_not else tested[name], described, why_not, seeds))
    p_holm = _adjusted([(column.name in stats["family"], result) for _, column, result, *_ in drafts])
    return [
        Comparison(
            kind=variant,
            baseline=baseline,
            column=column,
            tested=result,
            raw=described,
            p_holm=adjusted,
            is_declared=column.name in stats["family"],
            verdict=None
            if result is None
            else verdict(
                result,
                p_holm=adjusted,
                direction=column.direction,
                alpha=1.0 - stats["confidence_level"],
                is_declared=column.name in stats["family"],
            ),
            not_compared=why_not,
            seeds=seeds,
        )
        for (variant, column, result, described, why_not, seeds), adjusted in zip(drafts, p_holm, strict=True)
    ]


def comparison_row(comparison: Comparison, record: Mapping[str, Any]) -> Row:
    """One row of comparisons.csv: the raw difference, and tests and intervals on `scale`."""
    tested, raw = comparison.tested, comparison.raw
    row: Row = {
        "kind": comparison.kind,
        "baseline": comparison.baseline,
        "metric": comparison.column.name,
        "scale": "log" if comparison.column.is_log_scale else "raw",
        "n_pairs": next((result.n_pairs for result in (tested, raw) if result is not None), 0),
        "delta_mean": None if raw is None else raw.delta_mean,
        "delta_std": None if raw is None or raw.t is None else raw.t.std,
        "p_holm": comparison.p_holm,
        "verdict": str(comparison.verdict) if comparison.verdict else comparison.not_compared or None,
    }
    if tested is None:
        return row
    if tested.t is not None:
        row |= {"t": tested.t.t, "df": tested.t.df, "p": tested.t.p}
        row |= {"t_low": tested.t.low, "t_high": tested.t.high}
    if tested.bootstrap is not None:
        row |= {
            "boot_low": tested.bootstrap.low,
            "boot_high": tested.bootstrap.high,
            "n_resamples": tested.bootstrap.n_resamples,
            "boot_seed": record["stats"]["boot_seed"],
            "boot_coverage": tested.bootstrap.coverage,
        }
    if tested.sign_flip is not None:
        row |= {"sign_flip_p": tested.sign_flip.p, "sign_flip_floor": tested.sign_flip.floor}
    if tested.effect is not None:
        row |= {"d_z": tested.effect.d_z, "g_z": tested.effect.g_z}
    return row | {"r_seeds": tested.r_seeds, "mde": tested.mde}


def _check_declared(stats: Mapping[str, Any], catalog: Mapping[str, Column], rows: Sequence[SeedRow]) -> None:
    """Refuse a declared metric that nothing could measure; where every cell failed nothing can be known."""
    if all(row.status != "ok" for row in rows):
        return
    for option, names in (("primary", [stats["primary"]]), ("family", stats["family"])):
        for name in names:
            if name not in catalog:
                raise ConfigError(f"`stats.{option}` names '{name}'. {did_you_mean(name, catalog)}")


def has_overflow(rows: Sequence[SeedRow | None], name: str) -> bool:
    """Whether some row's perplexity is too large for a number while its logarithm is one."""
    return any(
        row is not None and row.values.get(name) is None and row.test_values.get(name) is not None
        for row in rows
    )


def _aligned(
    base: Sequence[SeedRow], variant: Sequence[SeedRow], seeds: Sequence[int]
) -> tuple[list[SeedRow | None], list[SeedRow | None]]:
    """The rows of both kinds by the seeds asked for, ascending; None for a seed that a kind lacks."""
    by_seed = [{row.seed: row for row in rows} for rows in (base, variant)]
    rows = [[held.get(seed) for seed in sorted(seeds)] for held in by_seed]
    return rows[0], rows[1]


def _paired_seeds(
    base: Sequence[SeedRow | None], variant: Sequence[SeedRow | None], name: str
) -> tuple[int, ...]:
    return tuple(
        one.seed
        for one, other in zip(base, variant, strict=True)
        if one is not None
        and other is not None
        and one.seed is not None
        and one.test_values.get(name) is not None
        and other.test_values.get(name) is not None
    )


def _compare(
    base: Sequence[SeedRow | None],
    variant: Sequence[SeedRow | None],
    catalog: Mapping[str, Column],
    record: Mapping[str, Any],
    *,
    on_test_scale: bool,
) -> dict[str, PairedComparison | None]:
    stats = record["stats"]
    names = list(catalog)
    base_values, base_present = _matrix(base, names, on_test_scale=on_test_scale)
    variant_values, variant_present = _matrix(variant, names, on_test_scale=on_test_scale)
    is_primary = [name == stats["primary"] and on_test_scale for name in names]
    results = compare(
        base_values,
        variant_values,
        confidence_level=stats["confidence_level"],
        n_resamples=stats["n_resamples"],
        # The same state for every kind and scale: all share one draw of seed resamples.
        rng=stream(stats["boot_seed"], "seed bootstrap"),
        sesoi=[stats["sesoi"] if primary else None for primary in is_primary],
        margin=[stats["margin"] if primary else None for primary in is_primary],
        base_present=base_present,
        variant_present=variant_present,
    )
    return {name: result if result.n_pairs else None for name, result in zip(names, results, strict=True)}


def _matrix(
    rows: Sequence[SeedRow | None], names: Sequence[str], *, on_test_scale: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    values = np.zeros((len(rows), len(names)))
    present = np.zeros((len(rows), len(names)), dtype=bool)
    for i, row in enumerate(rows):
        if row is None:
            continue
        held = row.test_values if on_test_scale else row.values
        for j, name in enumerate(names):
            value = held.get(name)
            if value is not None:
                values[i, j], present[i, j] = value, True
    return values, present


def _adjusted(tests: Sequence[tuple[bool, PairedComparison | None]]) -> list[float | None]:
    """Holm-adjusted p of each test, within the declared family and within the exploratory rest."""
    adjusted: list[float | None] = [None] * len(tests)
    for family in (True, False):
        members = [index for index, (is_declared, _) in enumerate(tests) if is_declared is family]
        p_values = [_p(tests[index][1]) for index in members]
        for index, p in zip(members, holm(p_values).p, strict=True):
            adjusted[index] = p
    return adjusted


def _p(result: PairedComparison | None) -> float | None:
    return None if result is None or result.t is None else result.t.p


def _objectives(base: Sequence[SeedRow | None], variant: Sequence[SeedRow | None]) -> set[str]:
    return {row.objective for row in (*base, *variant) if row is not None}


def _why_not(column: Column, base: Sequence[SeedRow | None], variant: Sequence[SeedRow | None]) -> str:
    """Why two kinds must not be compared on a metric, or empty."""
    if len(_objectives(base, variant)) > 1:
        return "not compared: the kinds have different objectives"
    is_per_token = column.name in {"ce", "ppl"} or column.name.startswith("ppl_")
    is_masked = column.name in METRICS and METRICS[column.name].objectives == ("masked",)
    tokenizers = {
        row.done.result["facts"].get("tokenizer_sha256")
        for row in (*base, *variant)
        if row is not None and row.done is not None
    }
    if is_per_token and len(tokenizers) > 1:
        return OTHER_TOKENS
    if is_masked and len(tokenizers) > 1:
        return OTHER_TOKENS_HIDDEN
    return ""
