"""What a bootstrap sample holds: the chance that a row is drawn into it."""

from __future__ import annotations

from math import expm1, inf, log1p
from numbers import Real

from pellucid.stats._sample import fail


def inclusion_probability(n: float) -> float:
    """Chance that a row is among n draws with replacement from n rows; also the expected share of distinct rows.

    ``1 - (1 - 1/n)^n``, toward ``1 - 1/e`` = 0.632 as n grows; ``n=inf`` gives that limit.

    The rest, about 0.368, is left out of a sample of the same size: the out-of-bag rows, on which a model fitted to the
    sample can be judged.

    >>> inclusion_probability(4)  # 1 - (3/4)^4
    0.68359375
    >>> round(inclusion_probability(float("inf")), 6)
    0.632121
    """
    number = isinstance(n, Real) and not isinstance(n, bool)
    if not number or not (n == inf or (n >= 1 and n == int(n))):
        requirement, hint = "n must be a whole number of rows, at least 1, or inf", "inf gives the limit 1 - 1/e"
        fail("inclusion_probability", requirement, f"got {n!r}", hint)
    if n == 1:
        return 1.0
    return -expm1(-1.0) if n == inf else -expm1(n * log1p(-1 / n))
