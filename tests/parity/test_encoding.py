"""OneHotEncoder and OrdinalEncoder against scikit-learn's: the same categories, numbers and names, random settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder as OneHotPeer
from sklearn.preprocessing import OrdinalEncoder as OrdinalPeer

from pellucid.preprocessing import OneHotEncoder, OrdinalEncoder

from .drawn import numbers

WORDS = ["ash", "birch", "cedar", "", "Ünder", "fir", "a very long name of a tree"]


def column(random: np.random.Generator, kind: str, n: int) -> Any:
    """A column of a kind, with some values rarer than others."""
    place = np.minimum(random.geometric(0.35, size=n) - 1, 6)
    if kind == "integers":
        return (place * 7 - 10).astype(random.choice([np.int8, np.int32, np.int64]))
    if kind == "unsigned":
        return np.array([0, 1, 2**63, 2**64 - 1, 5, 6, 7], dtype=np.uint64)[place]
    if kind == "flags":
        return place > 1
    if kind == "floats":
        values = np.array([0.0, -3.5, 1.5, -2.25, 1e30, 1e-30, 7.0])[place]
        return values.astype(np.float32) if random.random() < 0.3 else values
    if kind == "floats with gaps":
        return np.where(place == 1, np.nan, place / 4)
    if kind == "text":
        return np.array(WORDS)[place]
    values = np.array(WORDS, dtype=object)[place]
    if kind == "objects with gaps":
        values[place == 2] = None
        values[place == 1] = np.nan
    if kind == "objects of numbers":
        values = np.array([1, 2.5, True, 3, 10**30, -4, 0], dtype=object)[place]
    return values


KINDS = ["integers", "unsigned", "flags", "floats", "floats with gaps", "text", "objects", "objects with gaps"]
KINDS = [*KINDS, "objects of numbers"]


def table(number: int, later: bool = False) -> Any:
    """A table of columns of one kind, or a frame of several kinds; ``later`` has other rows."""
    random = np.random.default_rng(number)
    n, p = int(random.integers(1, 60)), int(random.integers(1, 4))
    kinds = [str(random.choice(KINDS)) for _ in range(p)]
    dtypes = [column(np.random.default_rng(number + j), kind, 1).dtype for j, kind in enumerate(kinds)]
    rows = np.random.default_rng(number + 1000) if later else random
    n = 25 if later else n
    columns = [column(rows, kind, n) for kind in kinds]
    columns = [c.astype(d) if c.dtype.kind in "iuf" else c for c, d in zip(columns, dtypes, strict=True)]
    if number % 2:
        return pd.DataFrame({f"column {j}": values for j, values in enumerate(columns)})
    return columns[0][:, None]


def same(found: Any, wanted: Any) -> None:
    """Equal values, NaN equal to NaN, of one dtype."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    for a, b in zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True):
        assert a == b or (a != a and b != b), (a, b)
        assert isinstance(a, str) == isinstance(b, str)


def outcome(act: Any) -> tuple[Any, bool]:
    """What comes out, or that it was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return act(), False
        except (ValueError, TypeError):
            return None, True


def one_hot_setting(number: int) -> dict[str, Any]:
    random = np.random.default_rng(number + 5000)
    return {
        "drop": random.choice(np.array([None, None, "first", "if_binary"], dtype=object)),
        "handle_unknown": str(random.choice(["error", "ignore", "infrequent_if_exist", "warn"])),
        "sparse_output": bool(random.random() < 0.5),
        "dtype": random.choice(np.array([np.float64, np.float32, np.int8], dtype=object)),
        "min_frequency": random.choice(np.array([None, None, 2, 5, 0.1], dtype=object)),
        "max_categories": random.choice(np.array([None, None, 1, 2, 4], dtype=object)),
    }


@pytest.mark.parametrize("number", numbers(300))
def test_one_hot_columns_are_the_peers(number: int) -> None:
    X, params = table(number), one_hot_setting(number)
    (ours, refused), (peer, peer_refused) = (
        outcome(lambda c=c: c(**params).fit(X)) for c in (OneHotEncoder, OneHotPeer)
    )
    assert refused == peer_refused
    if refused:
        return
    for a, b in zip(ours.categories_, peer.categories_, strict=True):
        same(a, b)
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    assert (ours.drop_idx_ is None) == (peer.drop_idx_ is None)
    if ours.drop_idx_ is not None:
        assert ours.drop_idx_.tolist() == peer.drop_idx_.tolist()
    if params["min_frequency"] is not None or params["max_categories"] is not None:
        for a, b in zip(ours.infrequent_categories_, peer.infrequent_categories_, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                same(a, b)
    for rows in (X, table(number, later=True)):
        (found, refused), (wanted, peer_refused) = (outcome(lambda m=m, r=rows: m.transform(r)) for m in (ours, peer))
        assert refused == peer_refused
        if not refused:
            check_one_hot(found, wanted, ours, peer)


def check_one_hot(found: Any, wanted: Any, ours: Any, peer: Any) -> None:
    assert type(found) is type(wanted)
    assert found.dtype == wanted.dtype
    dense = [table.toarray() if hasattr(table, "toarray") else table for table in (found, wanted)]
    np.testing.assert_array_equal(*dense)
    if hasattr(found, "indices"):
        assert found.indices.dtype == wanted.indices.dtype
        assert found.has_sorted_indices
    if ours.drop is not None and (ours.min_frequency is not None or ours.max_categories is not None):
        return  # the peer takes the number of a group for that of a category; ours is checked against the table
    if found.shape[1] == 0:
        return  # the peer turns no table without columns back
    (back, refused), (wanted_back, peer_refused) = (
        outcome(lambda m=m: m.inverse_transform(found)) for m in (ours, peer)
    )
    assert refused == peer_refused
    if not refused:
        assert_same_values(back, wanted_back)


def assert_same_values(found: Any, wanted: Any) -> None:
    """Equal cells; a whole number beyond floats equals the float that a peer made of it."""
    for a, b in zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True):
        assert a == b or (a != a and b != b) or (isinstance(b, float) and a is not None and float(a) == b), (a, b)


@pytest.mark.parametrize("number", numbers(300))
def test_what_was_encoded_comes_back(number: int) -> None:
    X, params = table(number), one_hot_setting(number)
    model, refused = outcome(lambda: OneHotEncoder(**params).fit(X))
    assert not refused
    back = model.inverse_transform(model._transform(model._validate_predict(X)))
    values = X.to_numpy(dtype=object) if isinstance(X, pd.DataFrame) else X
    for j in range(values.shape[1]):
        grouped = params["min_frequency"] is not None or params["max_categories"] is not None
        rare = model.infrequent_categories_[j] if grouped else None
        rare = [] if rare is None else rare.tolist()
        for found, wanted in zip(back[:, j].tolist(), values[:, j].tolist(), strict=True):
            if wanted in rare or (wanted != wanted and any(one != one for one in rare)):
                assert found == "infrequent_sklearn"
            else:
                assert_same_values(np.array([found], dtype=object), np.array([wanted], dtype=object))


@pytest.mark.parametrize("number", numbers(300))
def test_ordinal_numbers_are_the_peers(number: int) -> None:
    X, random = table(number), np.random.default_rng(number + 9000)
    lenient = bool(random.random() < 0.6)
    params = {
        "handle_unknown": "use_encoded_value" if lenient else "error",
        "unknown_value": random.choice(np.array([-1, 99, np.nan, 1], dtype=object)) if lenient else None,
        "encoded_missing_value": random.choice(np.array([np.nan, -2, 50, 0], dtype=object)),
        "dtype": random.choice(np.array([np.float64, np.float32, np.int64], dtype=object)),
    }
    (ours, refused), (peer, peer_refused) = (
        outcome(lambda c=c: c(**params).fit(X)) for c in (OrdinalEncoder, OrdinalPeer)
    )
    assert refused == peer_refused
    if refused:
        return
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    for rows in (X, table(number, later=True)):
        (found, refused), (wanted, peer_refused) = (outcome(lambda m=m, r=rows: m.transform(r)) for m in (ours, peer))
        assert refused == peer_refused
        if refused:
            continue
        same(found, wanted)
        back = ours.inverse_transform(found)
        wanted_back, refused = outcome(lambda codes=wanted: peer.inverse_transform(codes.copy()))
        if not refused:  # the peer loses its way where the numbers of missing and unknown values are the same
            assert_same_values(back, wanted_back)


@pytest.mark.parametrize("drop", [None, "first", ["b", 3]])
@pytest.mark.parametrize("handle_unknown", ["error", "ignore"])
def test_given_categories_and_drops(drop: Any, handle_unknown: str) -> None:
    X = pd.DataFrame({"a": ["b", "a", "b"], "n": [3, 1, 3]})
    params = {"categories": [["c", "b", "a"], [1, 2, 3]], "drop": drop, "handle_unknown": handle_unknown}
    ours, peer = (kind(sparse_output=False, **params).fit(X) for kind in (OneHotEncoder, OneHotPeer))
    np.testing.assert_array_equal(ours.transform(X), peer.transform(X))
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    assert ours.inverse_transform(ours.transform(X)).tolist() == peer.inverse_transform(peer.transform(X)).tolist()
    other = pd.DataFrame({"a": ["z"], "n": [1]})
    (found, refused), (wanted, peer_refused) = (outcome(lambda m=m: m.transform(other)) for m in (ours, peer))
    assert refused == peer_refused == (handle_unknown == "error")
    if not refused:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "params",
    [
        {"categories": [["a", "a"], [1]]},
        {"categories": [["a"]]},
        {"categories": [[np.nan, "a", "b"], [1, 2]]},
        {"categories": [["a"], [1, 2]]},
        {"drop": ["z", 1]},
        {"drop": ["a"]},
        {"drop": "last"},
        {"handle_unknown": "skip"},
        {"min_frequency": 0},
        {"min_frequency": 1.5},
        {"max_categories": 0},
    ],
)
def test_what_the_peer_refuses_is_refused(params: dict[str, Any]) -> None:
    X = pd.DataFrame({"a": ["a", "b", "b"], "n": [1, 2, 2]})
    for kind in (OneHotEncoder, OneHotPeer):
        with pytest.raises((ValueError, TypeError)):
            kind(**params).fit(X)


@pytest.mark.parametrize("form", ["list", "object", "category", "string", "polars", "polars categories"])
def test_any_form_of_words_gives_the_same_columns(form: str) -> None:
    words = [["b", 2], ["a", 1], ["b", 10]]
    frame = pd.DataFrame(words, columns=["w", "n"])
    made: dict[str, Any] = {
        "list": words,
        "object": np.array(words, dtype=object),
        "category": frame.astype({"w": "category"}),
        "string": frame.astype({"w": "string"}),
        "polars": pl.from_pandas(frame),
        "polars categories": pl.from_pandas(frame).with_columns(pl.col("w").cast(pl.Categorical)),
    }
    X = made[form]
    ours, peer = OneHotEncoder(sparse_output=False).fit(X), OneHotPeer(sparse_output=False).fit(frame)
    np.testing.assert_array_equal(ours.transform(X), peer.transform(frame))
    assert [known.tolist() for known in ours.categories_] == [["a", "b"], [1, 2, 10]]
    np.testing.assert_array_equal(OrdinalEncoder().fit_transform(X), OrdinalPeer().fit_transform(frame))


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("ours", "peer"),
    [(OneHotEncoder(sparse_output=False), OneHotPeer(sparse_output=False)), (OrdinalEncoder(), OrdinalPeer())],
)
def test_frames_come_out_alike(library: str, ours: Any, peer: Any) -> None:
    values = {"a": ["x", "y", "x"], "b c": [1, 2, 3]}
    frame = pd.DataFrame(values) if library == "pandas" else pl.DataFrame(values)
    found = ours.set_output(transform=library).fit_transform(frame)
    wanted = peer.set_output(transform=library).fit_transform(frame)
    assert type(found) is type(wanted)
    assert found.equals(wanted)
