import numpy as np
import pytest

from rig.core.errors import DataError
from rig.stats import multibootstrap as module
from rig.stats.crossed_sums import CrossedSums, crossed_sums
from rig.stats.multibootstrap import multibootstrap


def some_sums(n_seeds: int = 4, n_docs: int = 60, n_kinds: int = 3, per_kind: bool = False) -> CrossedSums:
    rng = np.random.default_rng(0)
    weight = rng.integers(10, 300, (n_kinds, n_docs, 2) if per_kind else (n_docs, 2)).astype(float)
    value = 3 + rng.normal(0, 0.3, (n_docs, 2)) + rng.normal(0, 0.1, (n_kinds, n_seeds, n_docs, 2))
    total = value * (weight[:, None] if per_kind else weight)
    return crossed_sums(total, weight, kinds=[f"k{i}" for i in range(n_kinds)], seeds=range(n_seeds))


def slow_reference(sums: CrossedSums, n_resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The published algorithm in plain loops: gather seeds and documents, pool, subtract."""
    replicates = []
    for _ in range(n_resamples):
        seeds = rng.integers(0, sums.n_seeds, sums.n_seeds)
        docs = rng.integers(0, sums.n_docs, sums.n_docs)
        means = []
        for kind in range(len(sums.kinds)):
            weight = sums.weight[kind if len(sums.weight) > 1 else 0][docs].sum(axis=0)
            means.append((sums.total[kind][seeds][:, docs].sum(axis=1) / weight).mean(axis=0))
        replicates.append([mean - means[0] for mean in means[1:]])
    return np.array(replicates)


@pytest.mark.parametrize("per_kind", [False, True])
def test_replicates_have_the_law_of_the_published_algorithm(per_kind: bool) -> None:
    sums = some_sums(per_kind=per_kind)
    reference = slow_reference(sums, 4_000, np.random.default_rng(1))
    ours = multibootstrap(sums, n_resamples=4_000, confidence_level=0.9, rng=np.random.default_rng(2))
    low, high = np.quantile(reference, [0.05, 0.95], axis=0)
    se = reference.std(axis=0, ddof=1)
    for kind in range(2):
        for metric in range(2):
            result = ours[kind][metric]
            # Monte Carlo standard error of an end point at 4,000: about 0.033 se; of se: 0.011 se.
            assert result.low == pytest.approx(low[kind, metric], abs=0.2 * se[kind, metric])
            assert result.high == pytest.approx(high[kind, metric], abs=0.2 * se[kind, metric])
            assert result.se == pytest.approx(se[kind, metric], rel=0.07)


@pytest.mark.parametrize("per_kind", [False, True])
@pytest.mark.parametrize("n_seeds", [2, 4])
def test_float32_products_equal_float64_ones(per_kind: bool, n_seeds: int) -> None:
    """The same counts in float64, uncentred, with plain gathering; 200 resamples share 2 seeds and not 4."""
    sums = some_sums(n_seeds=n_seeds, n_docs=500, per_kind=per_kind)
    rng = np.random.default_rng(3)
    entropy = [int(word) for word in rng.integers(0, 2**32, size=8, dtype=np.uint64)]
    seeds = rng.integers(0, n_seeds, size=(200, n_seeds))
    multisets = [tuple(sorted(row)) for row in seeds.tolist()]
    # Most of the last seed first, as shares sort; one group where too few draw the same seeds.
    groups = sorted(set(multisets), reverse=True) if n_seeds == 2 else [None]
    children = np.random.SeedSequence(entropy).spawn(len(groups))
    kinds = np.empty((200, 3, 2))
    for group, child in zip(groups, children, strict=True):
        block_rng = np.random.Generator(np.random.PCG64(child))
        for b in range(200):
            if group is None or multisets[b] == group:
                docs = block_rng.integers(0, 500, size=500)
                ratio = sums.total[:, :, docs].sum(axis=2) / sums.weight[:, docs].sum(axis=1)[:, None]
                kinds[b] = ratio[:, seeds[b]].mean(axis=1)
    expected = kinds[:, 1:] - kinds[:, :1]
    ours = module._replicates(sums, sums.ratios(), 200, np.random.default_rng(3))
    # Rounding to 24 bits in each of 500 added terms, on sums that vary as a kind's own value does.
    assert np.abs(ours - expected).max() < 4 * 2.0**-24 * 500**0.5 * kinds.std(axis=0).min()


def test_every_resample_is_in_one_block_with_the_seeds_that_it_drew() -> None:
    drawn = np.random.default_rng(0).integers(0, 3, size=(1000, 3))
    share = (drawn[:, :, None] == np.arange(3)).mean(axis=1)
    blocks = module._blocks(share)
    np.testing.assert_array_equal(np.sort(np.concatenate([block.rows for block in blocks])), np.arange(1000))
    assert max(len(block.rows) for block in blocks) <= module.CHUNK
    for block in blocks:
        np.testing.assert_allclose(block.share @ block.mixture, share[block.rows], atol=1e-15)
    assert len(blocks[0].mixture) == 1, "ten multisets of three seeds: mixed before the product"
    (*_, last) = module._blocks(share[:150])
    assert len(last.mixture) == 3, "too few resamples to share: mixed after it"


def test_estimate_is_the_estimate_and_the_label_says_the_question() -> None:
    sums = some_sums()
    results = multibootstrap(sums, n_resamples=50, confidence_level=0.95, rng=np.random.default_rng(2))
    ratios = sums.ratios()
    for kind in range(2):
        for metric in range(2):
            expected = (ratios[kind + 1] - ratios[0])[:, metric].mean()
            assert results[kind][metric].estimate == pytest.approx(expected, rel=1e-12)
            assert results[kind][metric].question == "new seeds and new documents"


def test_same_state_gives_the_same_bits_and_the_global_seed_changes_nothing() -> None:
    results = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - what a careless caller does
        results.append(
            multibootstrap(some_sums(), n_resamples=600, confidence_level=0.95, rng=np.random.default_rng(2))
        )
    assert results[0] == results[1]


def test_more_than_65536_documents() -> None:
    n_docs = 70_000
    total = np.random.default_rng(0).normal(3, 1, (2, 2, n_docs, 1))
    sums = crossed_sums(total, np.ones((n_docs, 1)), kinds=["a", "b"], seeds=[1, 2])
    (result,) = multibootstrap(sums, n_resamples=20, confidence_level=0.5, rng=np.random.default_rng(0))[0]
    assert result.low is not None
    assert result.high is not None
    assert result.low < result.high


def test_one_seed_has_no_interval() -> None:
    (result, _) = multibootstrap(
        some_sums(n_seeds=1, n_kinds=2), n_resamples=10, confidence_level=0.95, rng=np.random.default_rng(0)
    )[0]
    assert (result.se, result.low, result.high, result.reason) == (None, None, None, "one seed has no spread")


def test_metric_of_one_document_has_no_interval() -> None:
    rng = np.random.default_rng(0)
    weight = np.ones((5, 2))
    weight[1:, 1] = 0
    total = rng.normal(3, 1, (2, 2, 5, 2)) * weight
    common, rare = multibootstrap(
        crossed_sums(total, weight, kinds=["a", "b"], seeds=[1, 2]),
        n_resamples=300,
        confidence_level=0.95,
        rng=rng,
    )[0]
    assert common.low is not None
    assert (rare.low, rare.reason) == (None, "a resample of documents holds nothing of this metric")


def test_one_resample_is_refused() -> None:
    with pytest.raises(DataError, match="`n_resamples` must be at least 2, got 1; use 10000"):
        multibootstrap(some_sums(), n_resamples=1, confidence_level=0.95, rng=np.random.default_rng(0))
