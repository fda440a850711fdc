"""Declared parameters: what a declaration allows is taken, anything else gets one sentence, and nothing crashes."""

from __future__ import annotations

import inspect
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone

from pellucid.base.declare import Declared, Param, param
from pellucid.base.errors import ParameterError

fast = settings(max_examples=100, deadline=None)


class Example(Declared, BaseEstimator):
    """One parameter of each kind."""

    share: float = param(default=0.5, low=0, high=1, doc="A share.")
    rate: float = param(default=0.1, low=0, low_open=True, high=1, high_open=True, doc="Between 0 and 1, neither.")
    count: int = param(default=3, low=1, doc="A count.")
    jobs: int | None = param(default=None, doc="Any whole number, or None.")
    flag: bool = param(default=False, doc="Yes or no.")
    way: Literal["auto", "fast"] = param(default="auto", doc="How.")
    depth: int | Literal["all"] = param(default="all", low=1, doc="A count, or all.")
    even: int = param(default=2, check=lambda v: None if v % 2 == 0 else f"even must be even; got {v!r}", doc="Even.")


PARAMS: dict[str, Param] = Example._params

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.sampled_from([10**400, -(10**400)]),
    st.floats(),
    st.floats(-2, 2),
    st.text(max_size=5),
    st.sampled_from(["auto", "fast", "all", "AUTO", "", b"auto"]),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=3),
    st.tuples(st.integers()),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.sampled_from(
        [np.nan, np.inf, -np.inf, np.float32(0.5), np.float64(0.5), np.int8(1), np.uint64(2), np.bool_(True)]
    ),
    st.sampled_from(
        [np.array(1), np.array([1, 2]), np.array("auto"), 1j, Decimal("0.5"), Fraction(1, 2), object(), int]
    ),
)


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    return is_whole(value) or isinstance(value, (float, np.floating, Fraction))


# What each declaration means, said once more in plain Python.
ALLOWED = {
    "share": lambda v: is_real(v) and 0 <= v <= 1,
    "rate": lambda v: is_real(v) and 0 < v < 1,
    "count": lambda v: is_whole(v) and v >= 1,
    "jobs": lambda v: v is None or is_whole(v),
    "flag": lambda v: isinstance(v, (bool, np.bool_)),
    "way": lambda v: isinstance(v, str) and v in ("auto", "fast"),
    "depth": lambda v: (is_whole(v) and v >= 1) or (isinstance(v, str) and v == "all"),
    "even": lambda v: is_whole(v) and v % 2 == 0,
}


@pytest.mark.parametrize("name", PARAMS)
@fast
@given(value=anything)
def test_a_value_is_taken_exactly_when_the_declaration_allows_it(name: str, value: Any) -> None:
    fault = PARAMS[name].fault(value)
    if ALLOWED[name](value):
        assert fault is None
    else:
        assert fault is not None
        assert fault.startswith(f"{name} must be ")
        assert fault.endswith(f"got {value!r}")


@fast
@given(st.fixed_dictionaries(dict.fromkeys(PARAMS, anything)))
def test_all_faulty_parameters_are_named_at_once(values: dict[str, Any]) -> None:
    faulty = [name for name, value in values.items() if not ALLOWED[name](value)]
    example = Example(**values)
    if not faulty:
        example._check_params()
        return
    with pytest.raises(ParameterError) as raised:
        example._check_params()
    lines = [line for line in str(raised.value).split("\n") if line.startswith("Example: ")]
    assert [line.split()[1] for line in lines] == [name for name in PARAMS if name in faulty]


@fast
@given(st.fixed_dictionaries(dict.fromkeys(PARAMS, anything)))
def test_the_constructor_keeps_what_it_is_given(values: dict[str, Any]) -> None:
    """scikit-learn's rule: no check and no change before `fit`, so that clone and set_params work."""
    example = Example(**values)
    assert all(getattr(example, name) is value for name, value in values.items())
    assert all(example.get_params(deep=False)[name] is value for name, value in values.items())


def test_defaults_are_allowed() -> None:
    Example()._check_params()
    assert clone(Example(count=7)).count == 7


@fast
@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.booleans(), st.booleans(), st.floats())
def test_ranges_are_ranges(low: float, high: float, low_open: bool, high_open: bool, value: float) -> None:
    assume(low <= high)
    bounds = Param(0.0, "A number.", low, high, low_open, high_open, name="x", types=(float,))
    above = value > low if low_open else value >= low
    below = value < high if high_open else value <= high
    assert (bounds.fault(value) is None) == (above and below)


def test_the_signature_and_the_page_are_made_from_the_declaration() -> None:
    signature = inspect.signature(Example)
    assert list(signature.parameters) == list(PARAMS)
    assert all(p.kind is p.KEYWORD_ONLY for p in signature.parameters.values())
    assert {name: p.default for name, p in signature.parameters.items()} == {n: p.default for n, p in PARAMS.items()}
    for p in PARAMS.values():
        assert p.doc in (Example.__doc__ or "")
        assert f"{p.name} : {p.describe()}, default={p.default!r}" in (Example.__doc__ or "")


def test_a_subclass_adds_and_overrides() -> None:
    class Narrower(Example):
        """Fewer are allowed."""

        count: int = param(default=5, low=4, doc="At least four.")
        name: str = param(default="", doc="A name.")

    assert list(Narrower._params) == [*PARAMS, "name"]
    assert Narrower().count == 5
    assert Narrower._params["count"].fault(3) is not None
    assert Example._params["count"].fault(3) is None
