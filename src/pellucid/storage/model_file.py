"""Saving a fitted model and loading it again."""

from __future__ import annotations

import os
from typing import Any

import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError as _TheirNotFittedError
from sklearn.utils.validation import check_is_fitted

from pellucid.base.errors import (
    DataError,
    DataTypeError,
    NotFittedError,
    ParameterError,
    PellucidWarning,
    format_message,
    warn,
)
from pellucid.storage._archive import CARD, MODEL, MOST_BYTES, as_json, opened, write_archive
from pellucid.storage._decoder import decode
from pellucid.storage._encoder import encode
from pellucid.storage._source import Source, checked_path, existing
from pellucid.storage.card import ModelCard, card_from, card_of, class_path

__all__ = ["load", "read_card", "save"]


def save(model: Any, path: str | os.PathLike[str], *, card: ModelCard | None = None, compress: bool = False) -> None:
    """Writes a fitted model to a file that can be opened without trusting it.

    The file is a zip archive of JSON and NumPy arrays: no code, nothing pickled. It is written beside the path and then
    put in its place, so that a reader finds the old file or the new one. The same model gives the same bytes.

    Parameters
    ----------
    model : a fitted estimator of pellucid, or a Pipeline, ColumnTransformer or FeatureUnion of such
    path : of the file; one that is there is replaced
    card : what the file says about the model (`card_of`); what the model itself remembers unless told
    compress : pack the file? One of trees gets a third to two thirds of the size; saving takes about ten times as long,
        loading three times

    See Also
    --------
    load, read_card, card_of

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from pellucid.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "line.pellucid"
    ...     save(model, file)
    ...     load(file).predict([[4.0]])
    array([8.])
    """
    if not isinstance(model, BaseEstimator):
        kind = "a class" if isinstance(model, type) else type(model).__name__
        raise DataTypeError(format_message("save", "model must be a fitted estimator", actual=f"got {kind}"))
    _check_fitted(model)
    if card is None:
        card = card_of(model)
    if not isinstance(card, ModelCard):
        raise ParameterError(
            format_message(
                "save", "card must be a ModelCard", actual=f"got {type(card).__name__}", hint="card_of(model)"
            )
        )
    if card.model != class_path(type(model)):
        actual = f"it is of a {card.model}, and the model is a {class_path(type(model))}"
        raise DataError(
            format_message("save", "card must be the card of this model", actual=actual, hint="card_of(model)")
        )
    place = checked_path(path, "save")
    if place.is_dir() or not place.parent.is_dir():
        actual = f"{place.name!r} is a folder" if place.is_dir() else f"there is no folder {str(place.parent)!r}"
        raise DataError(format_message("save", "path must lead to a file in a folder that exists", actual=actual))
    encoded = encode(model)
    write_archive(place, card.to_json().encode(), as_json(encoded.model), encoded.arrays, compress)


def _check_fitted(model: Any) -> None:
    if not model.__sklearn_tags__().requires_fit:
        return
    try:
        check_is_fitted(model)
    except _TheirNotFittedError:
        who = type(model).__name__
        raise NotFittedError(
            format_message("save", "model must be fitted", actual=f"this {who} is not", hint="call 'fit' first")
        ) from None


def load(path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Any:
    """Reads a model from a file that `save` wrote.

    Opening a file runs no code from it, whoever made it: objects are made of an allow-list of classes and filled with
    arrays and plain values, and a file that is damaged, or that `save` did not write, is refused in one sentence.
    Whether the numbers in it make sense is another question: checksums find damage, not a maker who meant harm, and
    what a stranger's model answers deserves no more trust than the stranger.

    Parameters
    ----------
    path : of the file
    max_bytes : most bytes that its content may take in memory; 4 GiB unless told

    Returns
    -------
    the model, as it was saved

    See Also
    --------
    save, read_card
    """
    source = existing(path, "load")
    with opened(source, max_bytes) as archive:
        archive.check_total()
        card = _card(source, archive.text(CARD))
        theirs = str(card.versions.get("scikit-learn", sklearn.__version__))
        model, names = decode(archive, archive.text(MODEL), theirs)
    if theirs.split(".")[:2] != sklearn.__version__.split(".")[:2] and any(name[:7] == "sklearn" for name in names):
        actual = f"it was saved with {theirs}, and {sklearn.__version__} is installed"
        requirement = "a pipeline of scikit-learn's should be loaded with the scikit-learn that it was saved with"
        warn(
            format_message("load", requirement, actual=actual, hint="check what it predicts, or fit it again"),
            PellucidWarning,
        )
    return model


def read_card(path: str | os.PathLike[str]) -> ModelCard:
    """The card of a model file; its arrays are not read, and no object is made of them.

    Parameters
    ----------
    path : of the file

    Returns
    -------
    ModelCard
    """
    source = existing(path, "read_card")
    with opened(source, MOST_BYTES) as archive:
        return _card(source, archive.text(CARD))


def _card(source: Source, content: Any) -> ModelCard:
    try:
        return card_from(content)
    except (ValueError, TypeError):
        raise source.refuse("its card is not one") from None
