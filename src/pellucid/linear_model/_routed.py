"""Models that choose by folds, and what their splitter is to be given besides the table."""

from __future__ import annotations

from typing import Any, Self

from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing

from pellucid.base.errors import ParameterError, format_message
from pellucid.estimator.estimator import Estimator


class RoutedFolds(Estimator):
    """Hands metadata of `fit`, such as groups, to the splitter `cv` by scikit-learn's routing."""

    cv: Any

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata: this estimator, and the splitter."""
        mapping = MethodMapping().add(caller="fit", callee="split")
        splitter = self.cv if hasattr(self.cv, "split") else check_cv(None)
        return MetadataRouter(owner=self).add_self_request(self).add(splitter=splitter, method_mapping=mapping)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Tries every penalty on the folds, and fits the best one to all rows.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n numbers or labels
            The target.
        sample_weight : n numbers, optional
            How much each row counts, in fitting and in the score of its fold; folds count alike.
        params : what `cv` is to be given, such as groups, with scikit-learn's metadata routing

        Returns
        -------
        self
        """
        self._split = self._routed(params, sample_weight)
        try:
            super().fit(X, y, sample_weight)
        finally:
            del self._split
        return self

    def _routed(self, params: dict[str, Any], sample_weight: Any) -> dict[str, Any]:
        if _routing_enabled():
            return dict(process_routing(self, "fit", sample_weight=sample_weight, **params).splitter.split)
        if params:
            actual = f"[{', '.join(map(repr, sorted(params)))}] are passed but metadata routing is not enabled"
            hint = "sklearn.set_config(enable_metadata_routing=True) hands them to cv"
            raise ParameterError(
                format_message(type(self).__name__, "fit takes X, y and sample_weight", actual=actual, hint=hint)
            )
        return {}

    @property
    def _split_params(self) -> dict[str, Any]:
        """What the splitter is to be given in this fit."""
        split_params: dict[str, Any] = vars(self).get("_split", {})
        return split_params
