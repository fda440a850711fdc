"""What classifiers by neighbors share: labels as codes, votes, and how ties end."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Classifier
from pellucid.neighbors._predictors import Predictor
from pellucid.neighbors._votes import TIES, Lists, shares, votes_of


class Voting(Predictor, Classifier):
    """Counts the votes of neighbors for their classes."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def _keep_target(self, y: Floats, d: Design) -> None:
        self.outputs_2d_ = not d.y_is_vector
        self._codes_ = np.ascontiguousarray(y.T, dtype=np.int32)  # one row a target

    @property
    def _labels(self) -> list[Array]:
        """Classes of each target."""
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _groups(self, d: Design) -> Array:
        """Rows with the same labels, for a draw that keeps their shares."""
        _, groups = np.unique(d.y, axis=0, return_inverse=True)
        return np.asarray(groups).ravel()

    def _winners(self, neighbors: Lists, ties: str, stations: Any = None) -> Array:
        """Codes of the classes with the most votes: stations x queries x targets; -1 where nobody votes."""
        votes = votes_of(neighbors, self.weights, type(self).__name__, self._row_weight_, stations)
        each = [
            _core.class_winners(votes, codes, len(labels), TIES[ties], self._threads)
            for codes, labels in zip(self._codes_, self._labels, strict=True)
        ]
        return np.stack(each, axis=-1)

    def _shares(self, neighbors: Lists, stations: Any = None) -> list[Floats]:
        """Probabilities of the classes, for each target: stations x queries x classes."""
        votes = votes_of(neighbors, self.weights, type(self).__name__, self._row_weight_, stations)
        return [
            shares(_core.class_votes(votes, codes, len(labels), self._threads))
            for codes, labels in zip(self._codes_, self._labels, strict=True)
        ]
