"""The arithmetic of comparisons, against SciPy, published tables and values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_agentevals.reports.comparison.significance import EXACT, holm, mcnemar, wilcoxon

#: Darwin's maize: heights of 15 pairs of plants, crossed minus self-fertilized, in eighths of an inch
#: (The Effects of Cross and Self Fertilisation in the Vegetable Kingdom, 1876).
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

#: Largest sum of ranks that is significant at 5 %, two-sided, by number of pairs (Wilcoxon and Wilcox, 1964).
CRITICAL = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 15: 25, 20: 52}

#: Differences with ties and zeros, as scores from 1 to 5 give them.
COARSE = [1, -2, 0, 1, 1, -1, 3, 0, 2, 1, -1, 2, 2, 0, 1]


def test_mcnemar_is_the_chance_of_coins():
    assert mcnemar(1, 9) == (2 * (1 + 10) / 2**10, 1)
    assert mcnemar(6, 0) == (2 / 2**6, -1)
    assert mcnemar(4, 4) == (1.0, 0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_scipys_binomial_test(worse, better):
    if worse + better:
        assert mcnemar(worse, better).p == pytest.approx(stats.binomtest(worse, worse + better).pvalue, rel=1e-9)


def test_wilcoxon_of_darwins_maize():
    """The positive ranks are 96 of 120, and 1352 of the 2**15 sums are as far from the middle."""
    assert wilcoxon(DARWIN) == (1352 / 2**15, 1)


@pytest.mark.parametrize(("pairs", "critical"), CRITICAL.items())
def test_wilcoxon_reproduces_the_published_table(pairs, critical):
    assert wilcoxon(signed(pairs, critical)).p <= 0.05 < wilcoxon(signed(pairs, critical + 1)).p


def signed(pairs, total):
    """Return the differences 1 to ``pairs`` with signs so that the positive ones sum to ``total``."""
    found = []
    for size in range(pairs, 0, -1):
        up = size <= total
        total -= size if up else 0
        found.append(size if up else -size)
    return found


@pytest.mark.parametrize("count", [1, 2, 17, EXACT])
def test_wilcoxon_without_ties_is_scipys_exact_test(count):
    differences = [math.sin(7 * index) + 0.2 for index in range(1, count + 1)]
    assert wilcoxon(differences).p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


def test_wilcoxon_with_ties_is_exact_over_all_signs():
    kept = [difference for difference in COARSE[:10] if difference]
    expected = stats.wilcoxon(kept, method=stats.PermutationMethod(n_resamples=math.inf)).pvalue
    assert wilcoxon(COARSE[:10]).p == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_of_many_is_scipys_approximation_with_both_corrections():
    differences = COARSE * 12
    assert sum(map(bool, differences)) > EXACT
    expected = stats.wilcoxon(differences, zero_method="wilcox", correction=True, method="asymptotic").pvalue
    assert wilcoxon(differences).p == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=30).filter(any))
def test_wilcoxon_knows_no_favourite_direction_and_no_unit(differences):
    p, direction = wilcoxon(differences)
    assert 0 < p <= 1
    assert wilcoxon([-difference for difference in differences]) == (p, -direction)
    assert wilcoxon([difference / 4 for difference in differences]) == (p, direction)


def test_holm_by_hand():
    """The smallest counts four times, the next three times, and no value falls below one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
