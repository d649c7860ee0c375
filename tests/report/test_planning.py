import pytest
from statsmodels.stats.power import TTestPower
from synthetic_reports import BASE, VARIANT, report_of

from rig.report.comparison import Comparison
from rig.report.planning import plan_seeds

STD = 0.01836  # of -0.007, -0.036, -0.002


def primary(values: dict[str, dict[int, float]]) -> Comparison:
    return next(c for c in report_of(values).comparisons if c.column.name == "bpc")  # type: ignore[arg-type]


def test_seeds_come_from_the_reports_own_spread_and_its_uncertainty() -> None:
    plan = plan_seeds(
        primary({"base": BASE, "new": VARIANT}), effect=0.02, confidence_level=0.95, power=0.8, n_tests=2
    )
    assert plan is not None
    observed, low, high = plan.needed
    assert observed.std == pytest.approx(STD, rel=1e-3)
    # At 3 seeds the true std lies in 0.52 to 6.28 times the observed one.
    assert low.std / observed.std == pytest.approx(0.5207, abs=1e-4)
    assert high.std / observed.std == pytest.approx(6.2847, abs=1e-4)
    for entry in plan.needed:
        for n, alpha in ((entry.n_seeds, 0.05), (entry.n_seeds_family, 0.025)):
            assert n is not None
            power = TTestPower().power(0.02 / entry.std, n, alpha)
            fewer = TTestPower().power(0.02 / entry.std, n - 1, alpha) if n > 2 else 0.0
            assert fewer < 0.8 <= power


def test_what_so_many_seeds_find() -> None:
    plan = plan_seeds(
        primary({"base": BASE, "new": VARIANT}), effect=0.02, confidence_level=0.95, power=0.8, n_tests=1
    )
    assert plan is not None
    table = dict(plan.detectable)
    assert sorted(table) == list(range(3, 11))
    # The minimum detectable d_z at power 0.8: 3.26, 2.13, 1.68 for 3, 4, 5 seeds.
    assert [table[n] / plan.needed[0].std for n in (3, 4, 5)] == pytest.approx([3.26, 2.13, 1.68], abs=0.006)


def test_without_spread_there_is_no_plan() -> None:
    for values in ({"base": {41: 3.5}, "new": {41: 3.4}}, {"base": BASE, "new": BASE}):
        plan = plan_seeds(primary(values), effect=0.02, confidence_level=0.95, power=0.8, n_tests=1)
        assert plan is None
