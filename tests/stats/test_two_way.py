import numpy as np
import pytest
from scipy import stats

from rig.stats.crossed_sums import CrossedSums, crossed_sums
from rig.stats.two_way import two_way


def simulate(
    rng: np.random.Generator,
    *,
    n_seeds: int,
    n_docs: int,
    n_metrics: int,
    doc_sd: float,
    weight: float | None = 1.0,
) -> CrossedSums:
    """Two kinds that differ by a seed part (sd 1), a document part and a residual; true difference 0.

    Each metric is one simulated data set. The seed part is divided over documents by none: it shifts all.
    """
    weights = (
        np.full((n_docs, n_metrics), weight)
        if weight
        else rng.integers(20, 200, (n_docs, n_metrics)).astype(float)
    )
    delta = (
        rng.normal(0, 1, (n_seeds, 1, n_metrics))
        + rng.normal(0, doc_sd, (1, n_docs, n_metrics))
        + rng.normal(0, doc_sd, (n_seeds, n_docs, n_metrics))
    )
    base = 10 + rng.normal(0, 3, (n_seeds, n_docs, n_metrics))
    return crossed_sums(
        np.stack([base, base + delta]) * weights, weights, kinds=["base", "variant"], seeds=range(n_seeds)
    )


def test_new_seeds_is_the_paired_t_of_pooled_ratios() -> None:
    sums = simulate(np.random.default_rng(0), n_seeds=4, n_docs=30, n_metrics=3, doc_sd=1.0, weight=None)
    ratios = sums.ratios()
    theirs = stats.ttest_rel(ratios[1], ratios[0])
    for j, result in enumerate(two_way(sums, confidence_level=0.95)[0]):
        assert result.new_seeds.question == "new seeds, these documents"
        assert result.new_seeds.p == pytest.approx(theirs.pvalue[j], rel=1e-10)
        assert result.new_seeds.estimate == pytest.approx((ratios[1] - ratios[0])[:, j].mean(), rel=1e-12)
        assert result.new_seeds_and_documents.estimate == result.new_seeds.estimate


def test_by_hand_with_equal_weights() -> None:
    # Differences, seeds x documents: [[1, 3], [2, 8]]. Means 2, 5; 1.5, 5.5; 3.5.
    # MS_seed = 2 x (1.5^2 x 2) = 9; MS_doc = 2 x (2^2 x 2) = 16; residuals +-1, MS_res = 4.
    # Variance (9 + 16 - 4) / 4 = 5.25; df = 21^2 / (81 + 256 + 16).
    total = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 4.0], [3.0, 8.0]]])[..., None]
    sums = crossed_sums(total, np.ones((2, 1)), kinds=["base", "variant"], seeds=[1, 2])
    result = two_way(sums, confidence_level=0.95)[0][0].new_seeds_and_documents
    assert result.question == "new seeds and new documents"
    assert result.estimate == pytest.approx(3.5)
    assert result.se == pytest.approx(5.25**0.5)
    assert result.df == pytest.approx(441 / 353)
    assert result.p == pytest.approx(2 * stats.t.sf(3.5 / 5.25**0.5, 441 / 353))
    half_width = stats.t.ppf(0.975, 441 / 353) * 5.25**0.5
    assert (result.low, result.high) == pytest.approx((3.5 - half_width, 3.5 + half_width))


def test_never_narrower_than_either_part_alone() -> None:
    # Documents all alike: MS_doc = 0 < MS_res, and the seed part must not be reduced.
    total = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 3.0], [4.0, 2.0]]])[..., None]
    sums = crossed_sums(total, np.ones((2, 1)), kinds=["base", "variant"], seeds=[1, 2])
    result = two_way(sums, confidence_level=0.95)[0][0]
    assert result.new_seeds_and_documents.se is not None
    assert result.new_seeds.se is not None
    assert result.new_seeds_and_documents.se >= result.new_seeds.se - 1e-12


def test_linearisation_agrees_with_a_jackknife_over_documents() -> None:
    """Independent of the influence formula: leave each document out of the ratios themselves."""
    sums = simulate(np.random.default_rng(3), n_seeds=3, n_docs=400, n_metrics=1, doc_sd=2.0, weight=None)
    total, weight = sums.total[..., 0], sums.weight[0, :, 0]
    n, m = total.shape[1:]
    left_out = (total.sum(axis=2, keepdims=True) - total) / (weight.sum() - weight)
    pseudo = m * (sums.ratios()[..., 0][..., None]) - (m - 1) * left_out
    table = pseudo[1] - pseudo[0]
    ms_seed = m * table.mean(axis=1).var(ddof=1)
    ms_doc = n * table.mean(axis=0).var(ddof=1)
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    ms_res = (residual**2).sum() / ((n - 1) * (m - 1))
    result = two_way(sums, confidence_level=0.95)[0][0].new_seeds_and_documents
    assert result.se == pytest.approx(((ms_seed + ms_doc - ms_res) / (n * m)) ** 0.5, rel=0.01)


def test_weights_of_each_kind_are_its_own() -> None:
    """Tokens of two tokenizers: twice the tokens at half the nats is the same text at half the value."""
    rng = np.random.default_rng(1)
    weight = rng.integers(10, 90, (50, 1)).astype(float)
    base = rng.gamma(5, 1, (3, 50, 1)) * weight
    variant = base * rng.uniform(0.9, 1.1, base.shape)
    shared = crossed_sums(np.stack([base, variant]), weight, kinds=["a", "b"], seeds=[1, 2, 3])
    own = crossed_sums(
        np.stack([base, 2 * variant]), np.stack([weight, 2 * weight]), kinds=["a", "b"], seeds=[1, 2, 3]
    )
    first, second = (
        two_way(sums, confidence_level=0.95)[0][0].new_seeds_and_documents for sums in (shared, own)
    )
    assert first.se == pytest.approx(second.se, rel=1e-10)
    assert first.df == pytest.approx(second.df, rel=1e-10)


def test_one_seed_and_one_document_say_why_not() -> None:
    total = np.array([1.0, 2.0, 3.0, 5.0])
    one_seed = crossed_sums(total.reshape(2, 1, 2, 1), np.ones((2, 1)), kinds=["a", "b"], seeds=[1])
    result = two_way(one_seed, confidence_level=0.95)[0][0]
    assert result.new_seeds.estimate == 2.5
    assert result.new_seeds.reason == result.new_seeds_and_documents.reason == "one seed has no spread"
    one_doc = crossed_sums(total.reshape(2, 2, 1, 1), np.ones((1, 1)), kinds=["a", "b"], seeds=[1, 2])
    result = two_way(one_doc, confidence_level=0.95)[0][0]
    assert result.new_seeds.p is not None
    assert result.new_seeds_and_documents.reason == "one document has no spread"


def test_no_variance_at_all_is_not_certainty() -> None:
    base = np.arange(4.0).reshape(1, 2, 2, 1)
    sums = crossed_sums(np.concatenate([base, base + 1]), np.ones((2, 1)), kinds=["a", "b"], seeds=[1, 2])
    result = two_way(sums, confidence_level=0.95)[0][0].new_seeds_and_documents
    assert (result.p, result.low, result.reason) == (None, None, "zero variance")


@pytest.mark.slow
@pytest.mark.parametrize("n_seeds", [3, 5, 10])
@pytest.mark.parametrize("rho", [0.1, 1.0])
def test_interval_covers_new_seeds_and_new_documents(n_seeds: int, rho: float) -> None:
    """rho: sd of the mean of the document parts over sd of the seed part."""
    n_docs, n_sets = 60, 1_500
    sums = simulate(
        np.random.default_rng(n_seeds),
        n_seeds=n_seeds,
        n_docs=n_docs,
        n_metrics=n_sets,
        doc_sd=rho * n_docs**0.5,
    )
    results = two_way(sums, confidence_level=0.95)[0]
    hits = sum(
        r.new_seeds_and_documents.low is not None
        and r.new_seeds_and_documents.high is not None
        and r.new_seeds_and_documents.low <= 0 <= r.new_seeds_and_documents.high
        for r in results
    )
    # Satterthwaite is an approximation: 93 to 97% is what it is known to give here, plus simulation error.
    error = 4 * (0.95 * 0.05 / n_sets) ** 0.5
    assert 0.93 - error < hits / n_sets < 0.97 + error
