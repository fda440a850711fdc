"""Runs what stands in the collections (*.toml) and hears what is said.

After a change of words, ``python -m tests.messages.provoke`` (from the top folder) writes the files anew; read
the difference before it is kept.
"""

from __future__ import annotations

import sys
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import pellucid
from pellucid import feature_selection, impute, linear_model, metrics, preprocessing, quality
from pellucid.base import errors
from pellucid.data.design import InputSpec, apply_schema, infer_schema
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.metrics import _averages, _read, _scores

FILES = sorted(Path(__file__).parent.glob("*.toml"))
FOLDER = TemporaryDirectory()
FAMILIES = (metrics, preprocessing, impute, feature_selection, quality, linear_model)
# Functions that format and raise a message: each call of one of them has a message of its own.
WRAPPERS: dict[str, dict[str, Any]] = {
    "metrics": {
        **{name: getattr(_read, name) for name in ("fail", "fail_type", "refuse")},
        "warn_of": _scores.warn_of,
        "warn_undefined": _averages.warn_undefined,
    }
}


@dataclass(frozen=True)
class Message:
    """What is wrong, how to provoke it, the class of the exception or warning, and its text."""

    about: str
    how: str
    kind: str = ""
    text: str = ""


def read(file: Path) -> list[Message]:
    return [Message(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["message"]]


def _names() -> dict[str, Any]:
    """What may stand in `how`."""
    X = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]])
    Y = [1.0, 3.0, 3.0, 2.0, 5.0]
    frame = pd.DataFrame({"age": [31.0, 42.0, 53.0, 24.0, 35.0], "height": [1.7, 1.6, 1.9, 1.8, 1.5]})
    # Powers of nearby numbers: nearly dependent.
    powers = np.linspace(1, 2, 30)[:, None] ** np.arange(1, 10)
    return {
        "np": np,
        "pd": pd,
        "pl": pl,
        "pa": pa,
        "sp": sp,
        "pellucid": pellucid,
        **{module.__name__.split(".")[-1]: module for module in FAMILIES},
        "import_module": import_module,
        **{cls.__name__: cls for cls in (LinearRegression, DummyClassifier, DummyRegressor, InputSpec)},
        "GradientDescentRegressor": GradientDescentRegressor,
        "infer_schema": infer_schema,
        "apply_schema": apply_schema,
        "X": X,
        "Y": Y,
        "frame": frame,
        "powers": powers,
        "fitted": LinearRegression().fit(X, Y),
        "fitted_on_frame": LinearRegression().fit(frame, Y),
        "nan": float("nan"),
        "inf": float("inf"),
        "model_of": _model_of,
        "file": _file,
    }


def _model_of(needs: InputSpec, first: Any, later: Any) -> Any:
    """What an estimator with these needs would be given for a later table."""
    return apply_schema(later, infer_schema(first, needs, "Model").schema, needs, "Model")


def _file(name: str, content: str | bytes) -> Path:
    """A file with this content, in a folder that is gone when the interpreter ends."""
    path = Path(FOLDER.name) / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def provoke(how: str) -> tuple[str, str, str | None]:
    """The class and text of the exception or of the only warning, and for a warning the file that it points at."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = _names()
        try:
            exec(compile(how, "<the user's file>", "exec"), names)
        except Exception as error:
            return type(error).__name__, str(error), None
    if len(caught) != 1:
        return "", f"{len(caught)} warnings: {[str(w.message) for w in caught]}", None
    return caught[0].category.__name__, str(caught[0].message), caught[0].filename


@contextmanager
def recorded_places() -> Iterator[set[tuple[str, int]]]:
    """The lines of the source that called `format_message`, or a wrapper of it, while the block ran."""
    places: set[tuple[str, int]] = set()
    codes = {
        errors.format_message.__code__,
        *(function.__code__ for layer in WRAPPERS.values() for function in layer.values()),
    }

    def record(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in codes:
            places.add((frame.f_back.f_code.co_filename, frame.f_back.f_lineno))

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        yield places
    finally:
        sys.setprofile(before)


def write(file: Path, messages: list[Message]) -> None:
    head = file.read_text(encoding="utf-8").split("[[message]]")[0]
    tables = (
        "[[message]]\n" + "".join(f"{key} = {_quoted(value)}\n" for key, value in vars(m).items()) for m in messages
    )
    file.write_text(head + "\n".join(tables), encoding="utf-8")


def _quoted(text: str) -> str:
    if "\n" in text:
        return f"'''\n{text}'''"
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text and "\\" not in text else f"'''{text}'''"


if __name__ == "__main__":
    for collection in FILES:
        messages = [replace(m, kind=kind, text=text) for m in read(collection) for kind, text, _ in [provoke(m.how)]]
        write(collection, messages)
        print(f"{collection.name}: {len(messages)} messages written; read the difference before it is kept.")
