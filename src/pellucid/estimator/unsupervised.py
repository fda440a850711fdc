"""What transformers and outlier detectors share: a fit that looks at a table alone."""

from __future__ import annotations

from typing import Any, Self

from sklearn.callback import with_callbacks

from pellucid.estimator.estimator import Estimator


class Unsupervised(Estimator):
    """Learns without a target."""

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from a table what is asked of other rows later.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : not looked at
            There for scikit-learn's sake.

        Returns
        -------
        self
        """
        self._run_fit(X, None, None)
        return self
