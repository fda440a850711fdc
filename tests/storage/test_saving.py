"""Saving: what is refused, with its place in the model; and that a file is whole or not there."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.preprocessing import StandardScaler as TheirScaler

from pellucid.base.errors import DataError, DataTypeError, NotFittedError, ParameterError
from pellucid.dummy import DummyRegressor
from pellucid.linear_model import LinearRegression, Ridge
from pellucid.neighbors import KNeighborsRegressor
from pellucid.preprocessing import Binarizer, StandardScaler
from pellucid.storage import card_of, load, read_card, save

X, Y = [[1.0], [2.0], [4.0]], [1.0, 3.0, 2.0]


class OwnModel(LinearRegression):
    """A class that a user wrote."""


class OwnValue:
    """Another one."""


def double(x: Any) -> Any:
    return 2 * np.asarray(x)


def model_with(value: Any) -> Any:
    model = DummyRegressor().fit(X, Y)
    model.odd_ = value
    return model


def pipeline_with(step: Any) -> Any:
    return make_pipeline(step, LinearRegression()).fit(X, Y)


REFUSED: dict[str, tuple[Any, str]] = {
    "a function of the user's": (
        lambda: pipeline_with(FunctionTransformer(double)),
        r"model\.steps\[0\]\[1\]\.func is a function \(double\).*\nhint: a setting that has a name",
    ),
    "a lambda": (
        lambda: pipeline_with(FunctionTransformer(lambda x: np.asarray(x))),
        r"model\.steps\[0\]\[1\]\.func is a function \(.*<lambda>\)",
    ),
    "a distance of the user's": (
        lambda: KNeighborsRegressor(n_neighbors=1, metric=lambda a, b: abs(a - b).sum()).fit(X, Y),
        r"model\.metric is a function",
    ),
    "a model of the user's": (lambda: OwnModel().fit(X, Y), r"model is a OwnModel of .*\nhint: build the model"),
    "a model of the user's in a pipeline": (
        lambda: make_pipeline(StandardScaler(), OwnModel()).fit(X, Y),
        r"model\.steps\[1\]\[1\] is a OwnModel of",
    ),
    "a scaler of scikit-learn's": (
        lambda: pipeline_with(TheirScaler()),
        r"model\.steps\[0\]\[1\] is a StandardScaler of sklearn.*\nhint: pellucid has StandardScaler too",
    ),
    "a value of the user's": (lambda: model_with({"a": [OwnValue()]}), r"model\.odd_\['a'\]\[0\] is a OwnValue of"),
    "a class": (lambda: model_with(OwnValue), r"model\.odd_ is a class \(OwnValue\)"),
    "a module": (lambda: model_with(os), r"model\.odd_ is a module \(os\)"),
    "an open file": (lambda: model_with(open(__file__)), r"model\.odd_ is an open file"),  # noqa: SIM115
    "a method": (lambda: model_with([].append), r"model\.odd_ is a function"),
    "an array of records": (lambda: model_with(np.zeros(2, dtype="i4,f4")), r"model\.odd_ is an array of '\|V8'"),
    "an array with a function": (
        lambda: model_with(np.array([double], dtype=object)),
        r"model\.odd_\[0\] is a function \(double\)",
    ),
    "a key that is a model": (lambda: model_with({LinearRegression(): 1}), r"model\.odd_ has the key LinearRegression"),
    "callbacks": (
        lambda: Ridge().set_callbacks(Listener()).fit(X, Y),
        r"_skl_callbacks\[0\] is a Listener of .*\nhint: set_callbacks\(\)",
    ),
    "a cache of pickled steps": (
        lambda: make_pipeline(StandardScaler(), LinearRegression()).fit(X, Y).set_params(memory="x"),
        r"model\.memory is 'x'\.\nhint: set_params\(memory=None\)",
    ),
}


class Listener:
    """A callback that does nothing."""

    def setup(self, estimator: Any, context: Any) -> None: ...
    def teardown(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        return False


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_file_can_hold_is_named_with_its_place(name: str, tmp_path: Path) -> None:
    make, words = REFUSED[name]
    model = make()
    with pytest.raises(DataError, match=words) as caught:
        save(model, tmp_path / "model")
    if isinstance(odd := getattr(model, "odd_", None), io.IOBase):
        odd.close()
    assert re.fullmatch(r"save: [^\n]+\.(\nhint: [^\n]+\.)?", str(caught.value))
    assert not list(tmp_path.iterdir())


def test_a_method_that_is_hidden(tmp_path: Path) -> None:
    model = LinearRegression().fit(X, Y)
    model.predict = 3  # type: ignore[method-assign, assignment]
    with pytest.raises(DataError, match=r"model\.predict stands before what LinearRegression itself has"):
        save(model, tmp_path / "model")


def test_tuples_that_are_too_deep(tmp_path: Path) -> None:
    deep: tuple[Any, ...] = ()
    for _ in range(90):
        deep = (deep,)
    save(model_with(deep), tmp_path / "model")
    assert load(tmp_path / "model").odd_ == deep
    for _ in range(90):
        deep = (deep,)
    with pytest.raises(DataError, match="tuples must lie at most 100 deep"):
        save(model_with(deep), tmp_path / "model")


@pytest.mark.parametrize("model", [LinearRegression(), make_pipeline(StandardScaler(), Ridge()), ColumnTransformer([])])
def test_an_unfitted_model(model: Any, tmp_path: Path) -> None:
    with pytest.raises(
        NotFittedError, match=r"save: model must be fitted; this \w+ is not\.\nhint: call 'fit' first\."
    ):
        save(model, tmp_path / "model")


def test_a_transformer_that_needs_no_fit(tmp_path: Path) -> None:
    save(Binarizer(threshold=2), tmp_path / "model")
    assert load(tmp_path / "model").transform(X).ravel().tolist() == [0, 0, 1]


def test_what_is_no_model(tmp_path: Path) -> None:
    for model, words in ((3, "got int"), (LinearRegression, "got a class"), (None, "got NoneType")):
        with pytest.raises(DataTypeError, match=f"model must be a fitted estimator; {words}"):
            save(model, tmp_path / "model")


def test_where_no_file_can_be(tmp_path: Path) -> None:
    model = LinearRegression().fit(X, Y)
    with pytest.raises(DataError, match="there is no folder"):
        save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(DataError, match="is a folder"):
        save(model, tmp_path)
    with pytest.raises(DataTypeError, match="path must be the path of a file; got BytesIO"):
        save(model, io.BytesIO())  # type: ignore[arg-type]


def test_a_card_of_another_model(tmp_path: Path) -> None:
    model = LinearRegression().fit(X, Y)
    with pytest.raises(DataError, match="card must be the card of this model"):
        save(model, tmp_path / "model", card=card_of(Ridge().fit(X, Y)))
    with pytest.raises(ParameterError, match="card must be a ModelCard; got dict"):
        save(model, tmp_path / "model", card={})  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------------- writing


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    save(LinearRegression().fit(X, Y), path)
    before = path.read_bytes()

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pellucid.storage._archive._write_members", full)
    with pytest.raises(DataError, match="the file must be writable; 'model': No space left on device"):
        save(Ridge().fit(X, Y), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["model"]


def test_an_interrupted_save_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: Any, *args: Any) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pellucid.storage._archive._write_members", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(LinearRegression().fit(X, Y), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_a_file_has_the_rights_of_a_new_file(tmp_path: Path) -> None:
    save(LinearRegression().fit(X, Y), tmp_path / "model")
    (tmp_path / "plain").touch()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("model", "plain")]
    assert modes[0] == modes[1]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "model")
    save(LinearRegression().fit(X, Y), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "folder" / "model").predict([[1.0]]) == load(tmp_path / "link").predict([[1.0]])


def test_any_tool_opens_the_archive(tmp_path: Path) -> None:
    """A zip archive as others know it, whose arrays NumPy reads, and nothing in it but JSON and arrays."""
    path = tmp_path / "model"
    model = KNeighborsRegressor(n_neighbors=1).fit(np.arange(300.0)[:, None], np.arange(300.0))
    for compress in (False, True):
        save(model, str(path), compress=compress)
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            assert archive.namelist()[:3] == ["header.json", "card.json", "model.json"]
            arrays = [name for name in archive.namelist() if name.startswith("arrays/")]
            assert arrays
            assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            for name in arrays:
                with archive.open(name) as file:
                    assert np.load(file, allow_pickle=False).size
        assert read_card(path).name == "KNeighborsRegressor"


def test_archives_of_more_than_four_gigabytes_have_other_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records of large archives, made of small ones: sizes and offsets stand elsewhere in them."""
    model = KNeighborsRegressor(n_neighbors=1).fit(np.arange(300.0)[:, None], np.arange(300.0))
    save(model, tmp_path / "plain")
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 500)
    save(model, tmp_path / "large")
    monkeypatch.undo()
    assert (tmp_path / "large").stat().st_size > (tmp_path / "plain").stat().st_size
    assert load(tmp_path / "large").predict([[7.2]]) == [7.0]
    data = (tmp_path / "large").read_bytes()
    for at in range(len(data) - 1500, len(data), 7):
        (tmp_path / "large").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(DataError, match="must be a model file as save writes it"):
            load(tmp_path / "large")


def test_large_arrays_are_not_copied_on_their_way(tmp_path: Path) -> None:
    """Loading takes about the memory of the arrays, not twice that."""
    import tracemalloc

    path = tmp_path / "model"
    save(model_with(np.zeros((2000, 1000))), path)
    tracemalloc.start()
    load(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1.2 * 16e6
