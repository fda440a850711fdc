"""The penguins table: its shape and gaps, both tasks, every kind of answer, and no need of pandas."""

import inspect
import math
import pickle
import subprocess
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pellucid.datasets import load_penguins

COLUMNS = ["species", "island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g", "sex"]
MEASURES = COLUMNS[2:6]
MISSING = {"bill_length_mm": 2, "bill_depth_mm": 2, "flipper_length_mm": 2, "body_mass_g": 2, "sex": 11}


def test_the_array_holds_the_four_measures() -> None:
    penguins = load_penguins()
    assert penguins.data.shape == (344, 4)
    assert penguins.data.dtype == np.float64
    assert penguins.data.flags.c_contiguous
    assert penguins.feature_names == MEASURES
    assert penguins.frame is None
    np.testing.assert_array_equal(penguins.data[0], [39.1, 18.7, 181.0, 3750.0])
    np.testing.assert_array_equal(np.isnan(penguins.data).sum(axis=0), [2, 2, 2, 2])


def test_species_are_codes_of_their_names() -> None:
    penguins = load_penguins()
    assert penguins.target.dtype == np.int64
    assert penguins.target_names.tolist() == ["Adelie", "Chinstrap", "Gentoo"]
    assert np.bincount(penguins.target).tolist() == [152, 68, 124]
    assert penguins.target_names[penguins.target[-1]] == "Gentoo"


def test_body_mass_is_the_regression_task() -> None:
    penguins = load_penguins(target="body_mass_g")
    assert penguins.target.dtype == np.float64
    assert penguins.feature_names == MEASURES[:3]
    assert penguins.data.shape == (344, 3)
    assert penguins.target_names.tolist() == ["body_mass_g"]
    assert penguins.target[0] == 3750.0
    assert np.isnan(penguins.target).sum() == 2


def test_data_and_target_alone() -> None:
    penguins = load_penguins()
    data, target = load_penguins(return_X_y=True)
    np.testing.assert_array_equal(data, penguins.data)
    np.testing.assert_array_equal(target, penguins.target)


@pytest.mark.parametrize("as_frame", [True, "pandas"])
def test_pandas_frame(as_frame: Any) -> None:
    pd = import_module("pandas")
    penguins = load_penguins(as_frame=as_frame)
    assert isinstance(penguins.frame, pd.DataFrame)
    assert penguins.frame.shape == (344, 7)
    assert list(penguins.frame.columns) == COLUMNS
    assert {name: int(n) for name, n in penguins.frame.isna().sum().items() if n} == MISSING
    assert list(penguins.data.columns) == penguins.feature_names == COLUMNS[1:]
    assert (penguins.frame[MEASURES].dtypes == np.float64).all()
    assert penguins.frame["species"].iloc[0] == "Adelie"
    assert penguins.target.name == "species"
    assert penguins.target.dtype == np.int64


def test_polars_frame() -> None:
    pl = import_module("polars")
    penguins = load_penguins(as_frame="polars", target="body_mass_g")
    assert isinstance(penguins.frame, pl.DataFrame)
    assert penguins.frame.shape == (344, 7)
    nulls = penguins.frame.null_count().row(0, named=True)
    assert {name: n for name, n in nulls.items() if n} == MISSING
    assert [penguins.frame.schema[name] for name in MEASURES] == [pl.Float64] * 4
    assert penguins.frame.schema["sex"] == pl.String
    assert penguins.data.columns == [name for name in COLUMNS if name != "body_mass_g"]
    assert penguins.target.name == "body_mass_g"
    assert math.isclose(penguins.target[0], 3750.0)


def test_nineteen_missing_cells_in_five_columns() -> None:
    assert sum(MISSING.values()) == 19
    pd = import_module("pandas")
    frame = load_penguins(as_frame=True).frame
    assert isinstance(frame, pd.DataFrame)
    assert int(frame.isna().to_numpy().sum()) == 19
    assert int(frame.isna().any(axis=1).sum()) == 11


def test_the_description_tells_origin_license_and_units() -> None:
    text = load_penguins().DESCR
    for word in ["penguins.csv", "palmerpenguins", "Gorman", "Horst", "Hill", "CC0", "millimetres", "grams", *COLUMNS]:
        assert word in text


def test_it_is_a_plain_function() -> None:
    assert inspect.signature(load_penguins).parameters["target"].default == "species"
    assert inspect.isfunction(load_penguins)
    assert load_penguins.__name__ == "load_penguins"
    assert "default='species'" in str(load_penguins.__doc__)
    assert pickle.loads(pickle.dumps(load_penguins)) is load_penguins


def test_without_pandas_polars_serves_and_without_both_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pl = import_module("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(load_penguins(as_frame=True).frame, pl.DataFrame)
    with pytest.raises(ImportError, match=r"as_frame='pandas' needs pandas, which is not installed"):
        load_penguins(as_frame="pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"needs pandas or polars, which is not installed.\nhint: pip install pandas"):
        load_penguins(as_frame=True)


def test_import_and_load_need_no_dataframe_library() -> None:
    program = """if True:
        import sys
        sys.modules["pandas"] = sys.modules["polars"] = sys.modules["pyarrow"] = None
        from pellucid.datasets import load_penguins
        penguins = load_penguins()
        assert penguins.data.shape == (344, 4) and penguins.frame is None
        assert load_penguins(target="body_mass_g", return_X_y=True)[1].shape == (344,)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_wrong_arguments_get_one_sentence_each() -> None:
    with pytest.raises(
        ValueError, match=r"load_penguins: target must be a column of the table; got 'weight'.\nhint: one of s"
    ):
        load_penguins(target="weight")
    with pytest.raises(ValueError, match=r"'sex' has 11 missing cells"):
        load_penguins(target="sex")
    with pytest.raises(ValueError, match=r"as_frame must be True, False, 'pandas' or 'polars'; got 'arrow'"):
        load_penguins(as_frame="arrow")  # type: ignore[call-overload]
