"""Whatever an attribute may hold comes back with its type, its bits, and who else refers to it."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from pellucid.data.kinds import Kind
from pellucid.dummy import DummyRegressor
from pellucid.feature_selection import f_classif
from pellucid.metrics import mean_squared_error
from pellucid.models.tree.nodes import NodeTest
from pellucid.storage import load, save

from .models import frame

Keep = Callable[[Any], Any]


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Saves and loads a model with one more attribute, and gives that attribute back."""

    def kept(value: Any) -> Any:
        model = DummyRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
        model.odd_ = value
        save(model, tmp_path / "model")
        return load(tmp_path / "model").odd_

    return kept


SINGLE = {
    "none": None,
    "flags": True,
    "a large whole number": 10**400 + 1,
    "a negative one": -(2**64),
    "the first beyond 2**53": 2**53,
    "a float": 0.1,
    "the smallest float": 5e-324,
    "minus zero": -0.0,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "a complex number": complex(-0.0, math.inf),
    "a text": "ähm \x00 \ud800 🌲",
    "bytes": b"\x00\xff",
    "a float32": np.float32(0.1),
    "a flag of NumPy": np.bool_(True),
    "a text of NumPy": np.str_("ash"),
    "an empty text of NumPy": np.str_(""),
    "a time": np.datetime64("2024-02-29T12:00", "ns"),
    "a length of time": np.timedelta64(3, "D"),
    "a dtype": np.dtype("<f4"),
    "a dtype of objects": np.dtype(object),
    "a type": np.float64,
    "a type of Python": float,
    "a slice": slice("a", "d"),
    "a range": range(0, 10, 3),
    "a day": date(2024, 2, 29),
    "a moment": datetime(2024, 2, 29, 12, 30, 1, 5),
    "a moment with an offset": datetime(2024, 2, 29, tzinfo=timezone(timedelta(hours=2))),
    "seconds": timedelta(days=-1, seconds=3),
    "a decimal": Decimal("1.10"),
    "a fraction": Fraction(1, 3),
    "an enumeration": Kind.CATEGORY,
    "an enumeration of numbers": NodeTest.SUBSET,
    "a metric": mean_squared_error,
    "a score of columns": f_classif,
    "a function of NumPy": np.log1p,
}


@pytest.mark.parametrize("value", SINGLE.values(), ids=SINGLE)
def test_single_values(value: Any, keep: Keep) -> None:
    found = keep(value)
    assert type(found) is type(value)
    assert found == value
    assert repr(found) == repr(value)


@pytest.mark.parametrize("bits", ["7ff8000000000000", "fff8000000000000", "7ff8000000000001"])
def test_every_nan_keeps_its_bits(bits: str, keep: Keep) -> None:
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert struct.pack(">d", keep(value)).hex() == bits


@given(st.floats(allow_nan=False))
def test_floats_are_exact(value: float) -> None:
    from pellucid.storage._plain import value_of, written

    assert struct.pack(">d", value_of(written(value))) == struct.pack(">d", value)


ARRAYS = {
    "floats": np.arange(60.0).reshape(20, 3),
    "in Fortran's order": np.asfortranarray(np.arange(60.0).reshape(20, 3)),
    "every second row": np.arange(600.0).reshape(200, 3)[::2, ::-1],
    "big-endian": np.arange(50, dtype=">i4"),
    "half floats": np.arange(50, dtype=np.float16),
    "complex": np.arange(50) * 1j,
    "flags": np.arange(300) % 3 == 0,
    "texts": np.array(["ash", "birch", "ü" * 40] * 5),
    "empty texts": np.zeros(3, dtype="U"),
    "bytes": np.array([b"ash", b"birch"]),
    "times": np.array(["2024-02-29", "NaT"], dtype="datetime64[D]").repeat(40),
    "times of an odd unit": np.arange(3).astype("datetime64[25s]"),
    "lengths of time": np.arange(100).astype("timedelta64[ms]"),
    "without an axis": np.array(3.0),
    "without a row": np.empty((0, 4), dtype=np.float32),
    "a few numbers": np.array([[1.0, np.nan], [np.inf, -0.0]]),
    "of three axes": np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
    "of objects": np.array(["ash", None, 1, 2.5, True, math.inf, np.float32(1)], dtype=object),
    "of objects in rows": np.array([["ash", None], [1, 2.5]], dtype=object),
    "unaligned": np.zeros(801, dtype=np.uint8)[1:].view(np.float64),
}


@pytest.mark.parametrize("value", ARRAYS.values(), ids=ARRAYS)
def test_arrays(value: Any, keep: Keep) -> None:
    found = keep(value)
    wanted = value.astype("U1") if value.dtype.itemsize == 0 else value
    frame.assert_same_bits(found, np.ascontiguousarray(wanted) if wanted.ndim else wanted)
    assert found.flags.writeable
    assert found.flags.aligned
    assert found.flags.f_contiguous == (value.flags.f_contiguous or not value.size)


def test_an_array_of_arrays(keep: Keep) -> None:
    edges = np.empty(2, dtype=object)
    edges[:] = [np.array([0.0, 1.0]), np.array([2.0])]
    frame.assert_same_bits(keep(edges), edges)


def test_a_masked_array(keep: Keep) -> None:
    value = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[0, 1, 0], fill_value=-9.0)
    found = keep(value)
    assert type(found) is np.ma.MaskedArray
    assert found.tolist() == [1.0, None, 3.0]
    assert found.fill_value == -9.0
    assert found.data.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "dia"])
@pytest.mark.parametrize("form", ["matrix", "array"])
def test_sparse_matrices(kind: str, form: str, keep: Keep) -> None:
    value = getattr(scipy.sparse, f"{kind}_{form}")(np.diag(np.arange(40.0)))
    found = keep(value)
    assert type(found) is type(value)
    np.testing.assert_array_equal(found.toarray(), value.toarray())
    frame.assert_same_bits(found.data, value.data)


def test_sparse_matrices_keep_the_width_of_their_indices(keep: Keep) -> None:
    value = scipy.sparse.csr_array(np.eye(50))
    value.indices, value.indptr = value.indices.astype(np.int64), value.indptr.astype(np.int64)
    assert keep(value).indices.dtype == np.int64


def test_containers(keep: Keep) -> None:
    value = {
        (1, "a"): [1, (2, [3]), {}],
        None: {"x", "y", ("z", 1)},
        Kind.TEXT: frozenset({1, 2.5}),
        2.5: (),
        b"k": [[], [[]]],
    }
    found = keep(value)
    assert found == value
    assert list(found) == list(value)
    assert type(next(iter(found.values()))[1]) is tuple


def test_what_is_shared_stays_shared(keep: Keep) -> None:
    array, inner = np.arange(100.0), ["inner"]
    found = keep({"a": array, "b": [array, inner], "c": (inner,)})
    assert found["a"] is found["b"][0]
    assert found["b"][1] is found["c"][0]


def test_circles_close(keep: Keep) -> None:
    circle: list[Any] = [1]
    circle.append((circle, {"self": circle}))
    found = keep(circle)
    assert found[1][0] is found
    assert found[1][1]["self"] is found


def test_a_long_chain_needs_no_recursion(keep: Keep) -> None:
    chain: list[Any] = []
    for _ in range(20_000):
        chain = [chain]
    found, length = keep(chain), 0
    while found:
        found, length = found[0], length + 1
    assert length == 20_000


@pytest.mark.parametrize("bits", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_random_generators_go_on_where_they_were(bits: str, keep: Keep) -> None:
    value = np.random.Generator(getattr(np.random, bits)(7))
    value.normal(size=11)
    value.integers(5, dtype=np.int32)
    found = keep(value)
    assert found.normal(size=700).tobytes() == value.normal(size=700).tobytes()
    assert found.spawn(1)[0].random() == value.spawn(1)[0].random()


def test_random_states_go_on_where_they_were(keep: Keep) -> None:
    value = np.random.RandomState(3)
    value.normal(size=11)
    assert keep(value).normal(size=700).tobytes() == value.normal(size=700).tobytes()
