"""One declared comparison in full: every test and interval, each with the question that it answers."""

import math
from collections.abc import Sequence

from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.content import Section, Table, text_cells
from rig.report.documents_too import DocumentsToo
from rig.report.labels import kind_label, unit_name
from rig.report.numbers import (
    EMPTY,
    count_text,
    decimals_for,
    delta_text,
    difference_decimals,
    fixed_text,
    interval_text,
    level_text,
    p_phrase,
    percent_text,
    value_text,
)
from rig.stats.crossed_sums import NEW_SEEDS, NEW_SEEDS_AND_DOCUMENTS
from rig.stats.paired import PairedComparison
from rig.stats.pairing import break_even_correlation
from rig.stats.power import std_interval_factors
from rig.stats.seed_bootstrap import SeedBootstrap

Line = tuple[str, str, str]
"""Quantity, value, how to read it."""


def comparison_section(report: Report) -> Section | None:
    """The declared comparisons, a table each; None where there is none."""
    tables = [
        _table(comparison, comparison.tested, report)
        for comparison in report.comparisons
        if comparison.is_declared and comparison.tested is not None
    ]
    if not tables:
        return None
    return Section(
        title="The declared comparison in full",
        paragraphs=(
            "The Student t interval and the Holm-adjusted p decide. Everything else stands beside them, with "
            "the question that it answers.",
        ),
        tables=tuple(tables),
    )


def _table(comparison: Comparison, tested: PairedComparison, report: Report) -> Table:
    name, unit = comparison.column.name, comparison.column.unit
    scale = f"{unit_name(unit)}" if unit else name
    if comparison.column.is_log_scale:
        scale = f"logarithm of {name}, nats"
    crossed = [
        entry
        for entry in report.documents_too
        if entry.kind == comparison.kind and entry.metric == comparison.column.name
    ]
    std = None if tested.t is None else tested.t.std
    decimals = decimals_for(std, least=4) if std else difference_decimals(tested.delta_mean, None)
    lines = [
        *_difference(comparison, tested, decimals),
        *_tests(comparison, tested, report, decimals),
        *_sizes(tested, report, decimals),
        *_power(comparison, tested, report, decimals),
        *(line for entry in crossed for line in _documents(entry, report, decimals)),
    ]
    pair = " minus ".join(kind_label(report.record, name) for name in (comparison.kind, comparison.baseline))
    return Table(
        caption=f"{pair}: {name} ({scale})",
        header=("quantity", "value", "reading"),
        rows=tuple(text_cells(*line) for line in lines),
        n_text_columns=3,
    )


def _difference(comparison: Comparison, tested: PairedComparison, decimals: int) -> Sequence[Line]:
    mean = tested.delta_mean
    if comparison.column.is_log_scale:
        change = None if mean is None else math.expm1(mean)
        reading = "mean over seeds, as a ratio of perplexities"
    else:
        base = tested.base_mean
        change = None if mean is None or not base else mean / base
        reading = f"of the baseline's mean {value_text(base)}"
    sign = f"{tested.n_same_sign}/{tested.n_pairs} same sign"
    ties = tested.n_pairs - tested.n_positive - tested.n_negative
    return [
        ("mean difference", delta_text(mean, decimals), f"{percent_text(change)} {reading}"),
        (
            "per seed",
            ", ".join(
                f"{seed}: {delta_text(value, decimals)}"
                for seed, value in zip(comparison.seeds, tested.differences, strict=True)
            ),
            f"{sign}{f', {ties} exactly 0' if ties else ''}",
        ),
    ]


def _tests(comparison: Comparison, tested: PairedComparison, report: Report, decimals: int) -> list[Line]:
    stats = report.record["stats"]
    level = level_text(stats["confidence_level"])
    t, boot, flip = tested.t, tested.bootstrap, tested.sign_flip
    lines: list[Line] = []
    if t is not None and t.low is not None:
        m = sum(c.is_declared and c.p_holm is not None for c in report.comparisons)
        lines += [
            (f"Student t, {level} CI", interval_text(t.low, t.high, decimals), f"**headline**: {NEW_SEEDS}"),
            (
                "paired t test",
                f"t({t.df}) = {fixed_text(t.t, 2)}, {p_phrase(t.p)}, {p_phrase(comparison.p_holm, 'Holm p')}",
                f"{m} declared test{'s' if m != 1 else ''}",
            ),
        ]
    elif t is not None:
        lines.append((f"Student t, {level} CI", EMPTY, f"not defined: {t.reason}"))
    if boot is not None:
        worth = _worth(boot)
        lines.append(
            (
                f"bootstrap {level} [Δ_low, Δ_high]",
                interval_text(boot.low, boot.high, decimals),
                f"{worth}; {count_text(boot.n_resamples)} resamples of seeds, seed {stats['boot_seed']}",
            )
        )
        if boot.exact_low is not None:
            lines.append(
                (
                    "the same, enumerated",
                    interval_text(boot.exact_low, boot.exact_high, decimals),
                    "all resamples counted, no Monte Carlo",
                )
            )
    if flip is not None:
        lines.append(
            (
                "sign-flip test, exact",
                p_phrase(flip.p),
                f"{tested.n_pairs} seeds can give no p below {flip.floor:.4g}",
            )
        )
    return lines


def _worth(boot: SeedBootstrap) -> str:
    if boot.is_degenerate:
        return "no width, which is not certainty"
    if boot.coverage is None:
        return "its real coverage is not tabulated at this level and number of seeds"
    return f"its real coverage is about {boot.coverage:.0%}"


def _sizes(tested: PairedComparison, report: Report, decimals: int) -> list[Line]:
    level = report.record["stats"]["confidence_level"]
    lines: list[Line] = []
    if tested.effect is not None:
        effect = tested.effect
        corrected = "" if effect.g_z is None else f", g_z = {delta_text(effect.g_z, 2)}"
        lines.append(
            (
                "effect size",
                f"d_z = {delta_text(effect.d_z, 2)}{corrected}",
                f"{level_text(level)} CI of d_z {interval_text(effect.d_z_low, effect.d_z_high, 2)}",
            )
        )
    even = break_even_correlation(tested.n_pairs, confidence_level=level)
    if tested.r_seeds is not None and even is not None:
        pays = "pays" if tested.r_seeds > even else "does not pay"
        lines.append(
            (
                "correlation over seeds",
                f"r = {delta_text(tested.r_seeds, 2)}",
                f"pairing {pays}: it needs r above {even:.2f} at {tested.n_pairs} seeds",
            )
        )
    if tested.welch is not None:
        welch = tested.welch
        lines.append(
            (
                "Welch, unpaired",
                f"{interval_text(welch.low, welch.high, decimals)}, {p_phrase(welch.p)}",
                f"sensitivity only; all runs, {welch.n_base} and {welch.n_variant}",
            )
        )
    return lines


def _power(comparison: Comparison, tested: PairedComparison, report: Report, decimals: int) -> list[Line]:
    stats = report.record["stats"]
    lines: list[Line] = []
    factors = std_interval_factors(tested.n_pairs, confidence_level=stats["confidence_level"])
    if tested.mde is not None and factors is not None:
        lines.append(
            (
                "detectable difference",
                fixed_text(tested.mde, decimals),
                f"what {tested.n_pairs} seeds find with power 80% if the std is as observed; it may truly "
                f"be {factors[0]:.2g} to {factors[1]:.2g} times that",
            )
        )
    if comparison.column.name != stats["primary"]:
        return lines
    if stats["sesoi"] is not None:
        needed = "more than 10 000" if tested.seeds_needed is None else str(tested.seeds_needed)
        value = needed if tested.mde is not None else EMPTY
        lines.append(("seeds needed", value, f"for the declared smallest effect, {stats['sesoi']:g}"))
    else:
        lines.append(("seeds needed", EMPTY, "no smallest effect was declared; ask `rig power --effect X`"))
    if stats["margin"] is not None:
        test = tested.equivalence
        p = EMPTY if test is None else p_phrase(test.p)
        lines.append(("equivalence (TOST)", p, f"within the declared margin ±{stats['margin']:g}"))
    return lines


def _documents(entry: DocumentsToo, report: Report, decimals: int) -> list[Line]:
    level = level_text(report.record["stats"]["confidence_level"])
    t, boot = entry.t, entry.bootstrap
    if entry.reason or t is None or boot is None:
        return [("with documents too", EMPTY, entry.reason)]
    crossing = f"{entry.n_seeds} seeds x {count_text(entry.n_documents)} documents"
    if t.low is None:
        return [("with documents too", EMPTY, f"not defined: {t.reason}")]
    lines: list[Line] = [
        (
            f"two-way random effects t, {level} CI",
            f"{interval_text(t.low, t.high, decimals)}, {p_phrase(t.p)}",
            f"{NEW_SEEDS_AND_DOCUMENTS}; {crossing}, df {fixed_text(t.df, 1)}",
        )
    ]
    reading = f"{NEW_SEEDS_AND_DOCUMENTS}; at few seeds it covers less than it says"
    value = EMPTY if boot.low is None else interval_text(boot.low, boot.high, decimals)
    lines.append((f"crossed multibootstrap, {level}", value, boot.reason or reading))
    return lines
