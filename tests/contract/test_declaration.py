"""What a class declares is what its constructor takes, its documentation says and its fit checks."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.base import clone

from pellucid.base.declare import Param
from pellucid.base.errors import ParameterError

from .frame import NAMES, Subject, each, each_class, problem, settings


def section(doc: str, title: str) -> str:
    """The text under a heading of a docstring."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", inspect.cleandoc(doc), re.M | re.S)
    return found.group(1) if found else ""


@each_class
def test_the_constructor_can_be_inspected(cls: type[Any]) -> None:
    signature = inspect.signature(cls)
    assert set(signature.parameters) == set(cls._params)
    for name, given in signature.parameters.items():
        declared = cls._params[name]
        assert given.default is declared.default or given.default == declared.default
        assert given.kind == (given.KEYWORD_ONLY if declared.kw_only else given.POSITIONAL_OR_KEYWORD)


@each_class
def test_the_constructor_keeps_every_value_as_it_is(cls: type[Any]) -> None:
    marks = {name: object() for name in cls._params}
    model = cls(**marks)
    for name, mark in marks.items():
        assert getattr(model, name) is mark
    assert model.get_params() == marks


@each_class
def test_an_unknown_parameter_is_named(cls: type[Any]) -> None:
    with pytest.raises(TypeError, match="flavour"):
        cls(flavour=1)
    with pytest.raises(ValueError, match="flavour"):
        cls().set_params(flavour=1)


@each()
def test_parameters_can_be_read_and_set(subject: Subject) -> None:
    model = subject.cls()
    assert model.set_params(**subject.params) is model
    for name, value in subject.params.items():
        assert model.get_params()[name] == value
    assert settings(clone(model)) == settings(model)


@each_class
def test_every_parameter_is_documented(cls: type[Any]) -> None:
    told = section(cls.__doc__, "Parameters")
    for name, declared in cls._params.items():
        assert len(declared.doc) > 10, f"{name} has no doc"
        assert re.search(rf"^{name} : .+, default={re.escape(repr(declared.default))}\n    \S", told, re.M), name


@each_class
def test_the_documentation_has_its_parts(cls: type[Any]) -> None:
    doc = inspect.cleandoc(cls.__doc__)
    assert re.match(r"[A-Z][^\n]+\.\n\n", doc), "starts with one line"
    assert section(doc, "Attributes"), "tells what a fit leaves behind"
    assert doctest.DocTestParser().get_examples(section(doc, "Examples")), "has an example that runs"
    assert doc.index("Parameters\n") < doc.index("Attributes\n") < doc.index("Examples\n")


@each()
def test_every_public_attribute_is_documented(subject: Subject) -> None:
    X, y, _ = problem(subject)
    model = subject.make().fit(X, y)
    told = section(subject.cls.__doc__, "Attributes")
    found = [name for name in vars(model) if name.endswith("_") and name not in model.get_params() and name[0] != "_"]
    silent = {"schema_", "n_features_in_", "feature_names_in_"}  # the door's own memory, the same for every estimator
    assert not [name for name in found if not re.search(rf"\b{name}\b", told) and name not in silent]


@each_class
def test_every_public_method_is_documented(cls: type[Any]) -> None:
    for name, member in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and member.__module__.startswith("pellucid"):
            assert inspect.getdoc(member), name


@each()
def test_repr_can_be_evaluated(subject: Subject) -> None:
    model = subject.make()
    copy = eval(repr(model), {**NAMES, subject.name: subject.cls})
    assert settings(copy) == settings(model)


@each()
def test_repr_shows_what_was_changed_and_nothing_else(subject: Subject) -> None:
    text = repr(subject.cls(**subject.params))
    assert text.startswith(f"{subject.name}(")
    for name in subject.cls._params:
        assert (re.search(rf"\b{name}=", text) is not None) == (name in subject.params)


@each()
def test_the_notebook_shows_the_model(subject: Subject) -> None:
    X, y, _ = problem(subject)
    for model in (subject.make(), subject.make().fit(X, y)):
        html = model._repr_html_()
        assert subject.name in html
        assert all(name in html for name in subject.params)


# -------------------------------------------------------------------------------------------------------- wrong values


class Untouchable:
    """A table that fails when anybody looks at it."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the data were touched before the parameters were checked: {name}")


def wrong_values(param: Param) -> Iterator[Any]:
    """Values that a declaration does not allow."""
    if object in param.types:
        return
    yield object()
    if not {float, list} <= set(param.types):  # one number, or several
        yield [param.default]
    if str not in param.types:
        yield "no such option"
    if type(None) not in param.types and None not in param.options:
        yield None
    if {int, float} & set(param.types):
        yield float("nan")
        if bool not in param.types:
            yield True
        if param.low is not None:
            yield param.low if param.low_open else param.low - 1
        if param.high is not None:
            yield param.high if param.high_open else param.high + 1
    if int in param.types and float not in param.types:
        yield 1.5
    if bool in param.types and int not in param.types:
        yield 1


@each_class
def test_every_default_is_allowed(cls: type[Any]) -> None:
    assert [param.fault(param.default) for param in cls._params.values()] == [None] * len(cls._params)


@each_class
def test_a_wrong_value_is_refused_before_the_data_are_touched(cls: type[Any]) -> None:
    for name, param in cls._params.items():
        for value in wrong_values(param):
            with pytest.raises(ParameterError, match=rf"^{cls.__name__}: {name} must be .+; got .+\.$"):
                cls(**{name: value}).fit(Untouchable(), Untouchable())


@each_class
def test_a_constructor_takes_wrong_values_without_a_word(cls: type[Any]) -> None:
    for name, param in cls._params.items():
        for value in wrong_values(param):
            assert getattr(cls(**{name: value}), name) is value


@each_class
def test_all_wrong_values_are_named_at_once(cls: type[Any]) -> None:
    wrong = {name: next(wrong_values(param)) for name, param in cls._params.items() if object not in param.types}
    with pytest.raises(ParameterError) as caught:
        cls(**wrong).fit(Untouchable(), Untouchable())
    lines = str(caught.value).splitlines()
    assert [line.split()[1] for line in lines] == list(wrong)
    assert all(line.startswith(f"{cls.__name__}: ") and line.endswith(".") for line in lines)


@each_class
def test_a_wrong_parameter_is_both_a_value_and_a_type_error(cls: type[Any]) -> None:
    name, param = next((name, param) for name, param in cls._params.items() if object not in param.types)
    for kind in (ValueError, TypeError):
        with pytest.raises(kind):
            cls(**{name: next(wrong_values(param))}).fit([[1]], [1])
