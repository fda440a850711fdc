"""Each check on a table made for it: what must be found, and what must not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid.quality import Cleaner, Fix, check

rng = np.random.default_rng(3)


def rows(table, name, column=None, severity=None, **settings):
    """Rows that a check points at in a column."""
    data = pd.DataFrame(table) if isinstance(table, dict) else table
    limits = settings.pop("limits", None)
    found = check(data, checks={name: limits} if limits else [name], **settings).of(check=name, severity=severity)
    if column is not None:
        found = found.of(column)
    return sorted({row for finding in found for row in finding.rows.tolist()})


def remedy(table, name, **settings):
    return str(check(pd.DataFrame(table), checks=[name], **settings)[0].fix)


def test_blanks():
    table = {"a": ["x ", "y", "x", "\u200bz", "u  v"] * 3}
    assert rows(table, "blanks") == [0, 3, 4, 5, 8, 9, 10, 13, 14]
    assert remedy(table, "blanks") == "trim('a', inner=True)"
    assert rows({"a": ["x", "y z"] * 5}, "blanks") == []


def test_encoding():
    names = [f"Meyer {k}" for k in range(9)]
    table = {"a": ["MÃ¼ller", "Müller", "M�ller", "d̩bris", "What?", *names]}
    assert rows(table, "encoding") == [0, 2, 3]
    assert remedy(table, "encoding") == "repair_encoding('a')"


def test_placeholders_and_dummies():
    table = {
        "a": ["red", "N/A", "?", "blue", " "] * 4,
        "m": ["a@uni.edu", "test@test.com", "x@example.com", "b@uni.edu", "c@c.de"] * 4,
    }
    assert rows(table, "placeholders") == [i for i in range(20) if i % 5 in (1, 2, 4)]
    assert rows(table, "dummies") == [i for i in range(20) if i % 5 in (1, 2)]


def test_a_category_called_none_is_a_note():
    table = {"a": ["none", "red", "blue"] * 10}
    assert rows(table, "placeholders", severity="warning") == []
    assert len(rows(table, "placeholders", severity="note")) == 10


@pytest.mark.parametrize(
    "values", [["DE", "FR", "NA", "UK"], ["deu", "nan", "rus", "eng"], ["Smith", "Null", "Jones", "Ng"]]
)
def test_a_word_that_is_written_like_all_others_may_be_one_of_them(values):
    assert rows({"x": values * 20}, "placeholders", severity="warning") == []
    assert len(rows({"x": values * 20}, "placeholders", severity="note")) == 20


def test_codes_for_missing_numbers():
    table = {"a": [*range(20, 70), -999, -999], "b": [*range(100, 152)]}
    assert rows(table, "missing_codes") == [50, 51]
    assert rows({"a": list(range(-1000, -900))}, "missing_codes") == []


@pytest.mark.parametrize("code", [-99.99, -999.25, 9999.9])
def test_codes_with_decimals_for_missing_numbers(code):
    random = np.random.default_rng(0)
    usual = np.copysign(random.normal(36, 1, 60).round(2), code)
    assert rows({"a": [*usual, code, code]}, "missing_codes", severity="warning") == [60, 61]
    ends_alike = [float(f"{k}.{str(code).partition('.')[2]}") for k in range(60)]
    assert rows({"a": [*ends_alike, code, code]}, "missing_codes") == []
    assert rows({"price": [*random.uniform(1, 9, 60).round(2), 99.99, 99.99]}, "missing_codes") == []


def test_a_stand_in_that_repeats():
    table = {"phone": [f"040-{i}" for i in range(200, 300)] + ["040-1"] * 20}
    assert rows(table, "repeated_values") == list(range(100, 120))


def test_a_number_in_another_unit_is_a_number():
    (found,) = check(pl.DataFrame({"x": ["200 mg", "400 mg", "600 mg", "0.5 g"] * 20}), checks=["text_numbers"])[1:]
    assert found.explanation == "numbers in another unit than 'mg': '0.5 g' (20 times)"
    assert found.suggestion is None


def test_a_frequent_value_with_a_number_of_its_own_may_be_meant():
    cases = [f"{k} U.S. {7 * k % 997}" for k in range(200, 300)]
    assert len(rows({"cited": [*cases, *["[1932] AC 562"] * 20]}, "repeated_values", severity="note")) == 20
    assert len(rows({"cited": [*cases, *["see the file"] * 20]}, "repeated_values", severity="warning")) == 20


def test_pairs_of_numbers_of_which_some_are_no_times_are_no_times():
    alleles = ["01:01", "02:01", "03:01", "11:01", "23:01", "24:02", "24:02N"]
    assert not check(pl.DataFrame({"x": alleles * 20}), checks=["text_times"])
    assert check(pl.DataFrame({"x": [*["10:30", "11:45", "09:05", "08:00"] * 20, "late"]}), checks=["text_times"])


def test_times_of_day_are_not_said_to_have_many_levels():
    clock = [f"{k // 60:02d}{k % 60:02d}" for k in range(0, 1440, 7)] * 2
    assert not check(pl.DataFrame({"time": clock}), checks=["many_levels"])


def test_numbers_with_units_and_words():
    table = {"a": ["12 oz", "16 oz.", "12 ounces", "13", "forty", "what"] * 10}
    found = check(pd.DataFrame(table), checks=["text_numbers"]).of("a")
    assert [len(f.rows) for f in found] == [30, 10, 10]
    assert found[0].fix.settings["units"] == ["oz", "oz.", "ounces"]


def test_the_label_of_a_code_is_no_unit():
    """Read as numbers with a unit, the rare one would be missing for models."""
    labels = {
        "smoker": ["0_no"] * 97 + ["1_yes"] * 3,
        "sex": ["1 female"] * 60 + ["2 male"] * 40,
        "ward": ["1m"] * 85 + ["2f"] * 15,
        "variety": ["k1", "k2", "k3", "k4"] * 25,
        "sensor": ["km1", "km2", "km3", "km12"] * 25,
    }
    assert not check(pl.DataFrame(labels), checks=["text_numbers"])
    drinks = {"drinks": ["1 beer"] * 60 + ["2 beer"] * 35 + ["none"] * 5}
    (found, *_) = check(pl.DataFrame(drinks), checks=["text_numbers"])
    assert found.fix.settings["units"] == ["beer"]


def test_words_behind_a_unit_are_mentioned_and_lower_the_confidence():
    races = {"event": ["400m"] * 20 + ["400m hurdles"] * 5 + ["800m"] * 20 + ["1500m"] * 20}
    (found,) = (one for one in check(pl.DataFrame(races)) if one.check == "text_numbers")
    assert found.confidence == "low"
    assert "leaves out the words behind the unit, as in '400m hurdles'" in found.explanation
    cans = {"size": ["12 oz."] * 20 + ["12 oz. can"] * 5 + ["16 oz."] * 20 + ["8 oz."] * 20}
    (found,) = (one for one in check(pl.DataFrame(cans)) if one.check == "text_numbers")
    assert found.confidence == "medium"


def test_a_ratio_of_units_is_another_unit():
    doses = {"dose": ["5 mg"] * 30 + ["50 mg"] * 20 + ["0.5 mg"] * 9 + ["5 mg/mL"] * 3 + ["10 mg"] * 9}
    texts = [one.explanation for one in check(pl.DataFrame(doses)) if one.check == "text_numbers"]
    assert any("in another unit than 'mg': '5 mg/mL'" in text for text in texts)
    assert not any("not numbers" in text for text in texts)


def test_several_units_are_an_error_without_a_remedy():
    finding = check(pd.DataFrame({"w": ["1 kg", "2 lb", "3 kg", "4 lb"] * 10}), checks=["text_numbers"])[0]
    assert (finding.severity, finding.fix) == ("error", None)


@pytest.mark.parametrize(
    ("texts", "decimal", "thousands"),
    [
        (["1.234,50", "12,30", "1.000"], ",", "."),
        (["1,234.50", "12.30", "1,000"], ".", ","),
        (["1 234,5", "2 000"], ",", " "),
        (["1,234", "5,678", "901"], ".", ","),
        (["1,5", "2,25"], ",", ""),
    ],
)
def test_decimal_signs(texts, decimal, thousands):
    settings = check(pd.DataFrame({"p": texts * 10}), checks=["text_numbers"])[0].fix.settings
    assert (settings["decimal"], settings["thousands"]) == (decimal, thousands)


def test_plain_numbers_as_text_are_a_note():
    findings = check(pd.DataFrame({"a": ["1", "2.5", "3"] * 10}), checks=["text_numbers"])
    assert [f.severity for f in findings] == ["note"]


def test_codes_with_leading_noughts_are_no_numbers():
    assert not check(pd.DataFrame({"zip": ["01234", "22607", "00501"] * 10}), checks=["text_numbers"])


def test_times_in_several_formats():
    table = {"d": ["2020-01-02", "2020-01-03", "03.02.2020", "Apr 5, 2020"] * 10}
    assert rows(table, "text_times") == [i for i in range(40) if i % 4 > 1]
    assert check(pd.DataFrame(table), checks=["text_times"])[0].fix.settings["formats"][0] == "%Y-%m-%d"


def test_day_and_month_are_decided_by_the_column():
    def formats(texts):
        return check(pd.DataFrame({"d": texts * 10}), checks=["text_times"])[0].fix.settings["formats"]

    assert formats(["03/04/2020", "14/04/2020"]) == ["%d/%m/%Y"]
    assert formats(["03/04/2020", "04/14/2020"]) == ["%m/%d/%Y"]
    doubt = check(pd.DataFrame({"d": ["03/04/2020", "05/06/2020"] * 10}), checks=["text_times"])
    assert any("no value tells the day" in f.explanation for f in doubt)


def test_a_day_that_is_none():
    assert rows({"d": ["2020-01-30", "2020-03-31", "2020-14-45", "2020-05-05"] * 7}, "text_times") == list(
        range(2, 28, 4)
    )


def test_flags_in_several_words():
    table = {"f": ["yes", "no", "yes", "no", "ja", "1"] * 5}
    assert rows(table, "text_flags") == [i for i in range(30) if i % 6 > 3]
    assert rows({"f": ["yes", "no"] * 5}, "text_flags") == []


def test_spellings():
    table = {"city": ["Hamburg"] * 40 + ["Berlin"] * 40 + ["hamburg", "Hambrug", "Berlin*", "Bern", "Hamburg 2"]}
    assert rows(table, "case_variants") == [80]
    assert rows(table, "misspellings") == [81]
    assert rows(table, "stray_characters") == [82]
    assert remedy(table, "stray_characters") == "remove_characters('city', characters='*')"
    assert remedy(table, "misspellings") == "merge_values('city', pairs=[['Hambrug', 'Hamburg']])"


def test_another_word_in_capitals_is_no_misspelling():
    values = ["Neurology"] * 60 + ["Nephrology"] * 70 + ["NEUROLOGY"] * 3 + ["nephrology"] * 2 + ["Nephrologi"]
    assert remedy({"ward": values}, "misspellings") == "merge_values('ward', pairs=[['Nephrologi', 'Nephrology']])"


def test_numbered_things_are_no_misspellings():
    assert rows({"a": ["Aisle 1"] * 50 + ["Aisle 2"]}, "misspellings") == []


def test_odd_shapes():
    ids = [f"TX_{i}" for i in range(1000, 1100)]
    assert rows({"id": [*ids, "1234", "TX-999"]}, "odd_shapes") == [100, 101]
    assert rows(
        {"id": [f"{i}" for i in range(10000, 10100)] + [f"{i}^" for i in range(20000, 20004)]}, "odd_shapes"
    ) == list(range(100, 104))


def test_spreadsheet_damage():
    codes = [f"{1000 + i}-{2000 + 7 * i}" for i in range(60)]
    assert rows({"issn": [*codes, "Sep-22", "9.78E+12"]}, "spreadsheet_damage") == [60, 61]


def test_missing_values():
    table = {"a": [1, None, 3, 4], "b": [None] * 4, "c": [1, 2, 3, 4]}
    findings = check(pd.DataFrame(table), checks=["missing_values"])
    assert rows(table, "missing_values", "a") == [1]
    assert [str(f.fix) for f in findings.of("b")] == ["drop_column('b')"]


def test_what_is_typical_of_a_column():
    days = [*range(20200101, 20200129), *range(20210101, 20210125)]
    table = pd.DataFrame(
        {
            "size": [*np.linspace(1.0, 2.0, 50), None, None],
            "kind": ["plain"] * 40 + ["fancy"] * 10 + [None] * 2,
            "name": ["Ada", "Bob", "Cy", "Dan", "Eve"] * 10 + [None] * 2,
            "day": pd.array([*days[:50], None, None], dtype="Int64"),
            "title": [f"a text of {i} words that is not another's, whatever it may say" for i in range(50)]
            + [None] * 2,
            "count": ["1", "2", "n/a", "4", "n/a"] * 10 + [None] * 2,
        }
    )
    suggested = [one.suggestion for one in check(table, checks=["missing_values"]) if one.suggestion]
    assert suggested == ["impute:size", "impute:kind"]


def test_infinite_values():
    assert rows({"a": [1.0, np.inf, -np.inf, 2.0]}, "infinite_values") == [1, 2]


def test_duplicate_rows_and_keys():
    table = {"id": [*range(30), 5, 6], "v": [*range(100, 130), 105, 0]}
    assert rows(table, "duplicate_rows") == [30]
    assert rows(table, "duplicate_keys") == [6, 31]
    assert rows({"group_id": [1, 2, 3] * 20, "v": range(60)}, "duplicate_keys") == []
    (slips,) = check(pd.DataFrame(table), checks=["duplicate_keys"])
    assert slips.severity == "warning"
    assert slips.explanation == "hardly any value repeats, but 1 value stands in more than one row: 6 (2 times)"
    customers = [*range(40), *range(20)]  # some ordered twice, which is no error
    (again,) = check(pd.DataFrame({"customer_id": customers, "v": range(60)}), checks=["duplicate_keys"])
    assert (again.severity, again.rows.tolist()[:3]) == ("note", [0, 1, 2])
    assert "an error only if each row should have a key of its own" in again.explanation


def test_constant_and_redundant_columns():
    x = rng.normal(size=60)
    table = pd.DataFrame({"x": x, "f": x * 1.8 + 32, "k": 7, "a": ["u", "v"] * 30, "b": ["1st", "2nd"] * 30})
    assert [f.columns for f in check(table, checks=["constant_columns"])] == [("k",)]
    assert [f.columns for f in check(table, checks=["redundant_columns"])] == [("b", "a"), ("f", "x")]


def test_impossible_values():
    table = {
        "Age": [30, -2, 300, 40, 20, 25],
        "bloodPressure": [120, 0, 110, 125, 130, 115],
        "change_of_age": [-1, 5, 2, 3, 1, 500],
    }
    assert rows(table, "impossible_values", "Age", "note") == [1, 2]
    assert rows(table, "impossible_values", "bloodPressure") == [1]
    assert rows({"bp": [0, 1, 0, 1]}, "impossible_values") == []  # a flag
    assert rows(table, "impossible_values", "change_of_age") == []
    skewed = [0.0] * 9 + (14 + np.random.default_rng(0).exponential(100, 300)).round().tolist()
    assert rows({"insulin": skewed}, "impossible_values") == list(range(9))
    assert rows({"insulin": [*skewed, 1.0, 2.0, 4.0]}, "impossible_values") == []  # zero is where the values begin
    for name in ("rainfall", "visits", "capital_gain", "distance", "bonus"):
        assert rows({name: skewed}, "impossible_values") == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", [1, 3, 7, 14, 28, 56, 90, 100, 120, 180, 270, 365] * 30),  # of concrete, in days
        ("age", [*range(1, 150, 2), 180, 220, 300, 410]),  # of trees and buildings
        ("body_temperature", [309.5, 310.1, 311.2, 312.0, 310.4, 310.2] * 20),  # in kelvins
        ("price", [-5, -3, 2, 8, 10, 12, 15, 20] * 10),  # of energy, which may be negative
        ("percent", [5, 20, 60, 80, 120, 150, 40, 30] * 10),  # of a target that may be exceeded
        ("height", [1650, 1720, 1800, 1750, 1900, 1580] * 10),  # in millimetres
        ("weight", [0, 1, 2, 3, 5, 8, 13] * 10),  # zero is where the values begin
        ("distance", [*range(200, 2600, 10), 4963, 4983]),  # few long ones
    ],
)
def test_a_name_alone_makes_no_value_impossible(name, values):
    assert rows({name: values}, "impossible_values") == []


def test_impossible_times():
    days = pd.date_range("2015-01-01", periods=60).strftime("%Y-%m-%d").tolist()
    assert rows({"day": [*days, "1970-01-01", "2999-12-31", "1492-10-12"]}, "impossible_times") == [60, 61, 62]


def test_dates_of_which_only_the_year_was_known():
    days = [f"{1990 + i % 20}-01-01" for i in range(40)] + [f"{1990 + i}-05-1{i}" for i in range(10)] * 4
    assert rows({"d": days}, "default_dates") == list(range(40))


def test_mail():
    assert rows({"mail": [f"u{i}@uni.edu" for i in range(20)] + ["u20uni.edu"]}, "impossible_mail") == [20]


def test_outliers():
    x = rng.normal(size=200)
    assert rows({"x": [*x, 15.0]}, "outliers", severity="warning") == [200]
    said = check(pd.DataFrame({"x": [*x, 15.0]}), checks=["outliers"])[0].explanation
    assert "by more than 3 times their distance, and at least that distance from all others: 15" in said
    assert rows({"x": np.exp(2 * x)}, "outliers", severity="warning") == []  # skewed, not far out
    assert rows({"x": [1.0] * 100 + [2.0]}, "outliers") == []
    levels = np.repeat(np.arange(16), [1, 2, 3, 5, 8, 40, 160, 250, 760, 340, 240, 140, 35, 7, 2, 1])
    assert not any(
        "at least that distance" in one.explanation
        for one in check(pd.DataFrame({"x": levels})).of("x", check="outliers")
    )


def test_dependencies():
    city = ["Hamburg", "Bremen", "Kiel", "Jena", "Ulm", "Celle"] * 20
    land = ["HH", "HB", "SH", "TH", "BW", "NI"] * 20
    broken = land.copy()
    broken[6], broken[7] = "HB", None
    table = {"city": city, "land": broken}
    assert rows(table, "dependencies", "land") == [6, 7]
    first = check(pd.DataFrame(table), checks=["dependencies"]).of("land")[0].explanation
    assert "%" not in first  # of which rows would not be said
    wrong, missing = check(pd.DataFrame(table), checks=["dependencies"]).of("land")
    assert str(wrong.fix) == "by_group('land', key='city', broken=True, fill=False, pairs=[['Hamburg', 'HH']])"
    assert str(missing.fix) == "by_group('land', key='city', broken=False, fill=True, pairs=[['Bremen', 'HB']])"
    assert (wrong.confidence, missing.confidence) == ("low", "low")
    assert rows({"city": city, "land": rng.permutation(land)}, "dependencies") == []


def test_time_order():
    start = pd.date_range("2020-01-01", periods=50)
    end = start + pd.Timedelta(days=3)
    table = pd.DataFrame({"start": start, "end": end})
    assert rows(table, "time_order") == []
    table.loc[7, "end"] = pd.Timestamp("2019-01-01")
    assert rows(table, "time_order") == [7]
    unrelated = {
        "hired": pd.date_range("1990-01-01", "2016-12-31", 300),
        "paid": pd.date_range("2016-01-01", periods=300),
    }
    shuffled = pd.DataFrame(unrelated).assign(hired=rng.permutation(unrelated["hired"]))
    assert (shuffled["hired"] > shuffled["paid"]).any()
    assert rows(shuffled, "time_order") == []  # times of different rows are in this order just as often


def test_arithmetic():
    n, p = rng.integers(2, 9, size=80), rng.choice([1.5, 2.5, 3.0, 4.25], size=80)
    table = pd.DataFrame({"n": n, "p": p, "total": n * p})
    table.loc[3, "total"] = 1000.0
    table.loc[4, "total"] = np.nan
    table.loc[5, "p"] = np.nan
    found = check(table, checks=["arithmetic"])
    assert [(f.columns[0], f.rows.tolist(), f.fix.settings["relation"]) for f in found] == [
        ("total", [3], "product"),
        ("total", [4], "product"),
        ("p", [5], "quotient"),
    ]


def test_a_sum_that_is_the_target():
    a, b = rng.integers(1, 50, 60), rng.integers(1, 50, 60)
    found = check(pd.DataFrame({"a": a, "b": b, "y": a + b}), checks=["arithmetic"], target="y")
    assert ("a", "b") in [f.columns for f in found if f.severity == "warning"]


def test_a_value_inside_another():
    cities = ["Chicago", "Denver", "Austin"] * 20
    states = ["IL", "CO", "TX"] * 20
    table = {"city": [*cities, "Chicago IL", "Denver CO", "Boston TX"], "state": [*states, None, None, None]}
    assert rows(table, "value_inside", "city") == [60, 61, 62]
    city, state = check(pd.DataFrame(table), checks=["value_inside"])
    assert (city.confidence, state.suggestion) == ("high", None)
    rules = [["Chicago IL", "Chicago", "IL"], ["Denver CO", "Denver", "CO"], ["Boston TX", "Boston", "TX"]]
    assert (city.suggestion, city.fix.columns) == ("extract_value:city", ("city", "state"))
    assert city.fix.settings == {"rules": rules}
    assert city.explanation.startswith("3 values with a value of 'state' inside")
    assert rows(table, "value_inside", "state") == [60, 61, 62]
    assert rows({"city": cities, "state": states}, "value_inside") == []


def test_leakage_and_imbalance():
    y = np.array(["a", "b"] * 100)
    table = pd.DataFrame(
        {"leak": np.where(y == "a", rng.normal(size=200), 10 + rng.normal(size=200)), "x": rng.normal(size=200), "y": y}
    )
    assert [f.columns for f in check(table, checks=["leakage"], target="y")] == [("leak",)]
    often = pd.DataFrame({"x": np.arange(4000) % 200, "y": np.where(np.arange(4000) % 200 > 197, "b", "a")})
    (found,) = check(often, checks=["leakage"], target="y")  # the upper of 32 ranges: most of its rows are no b
    assert found.explanation.startswith("alone recognizes 99% of the rows of a class of 'y' on average (rows kept")
    law = pd.DataFrame({"x": np.linspace(0, 1, 400), "y": np.linspace(0, 3, 400) + 0.01 * rng.normal(size=400)})
    (found,) = check(law, checks=["leakage"], target="y")
    assert found.explanation.startswith("alone explains 99.")
    rare = pd.DataFrame({"x": np.arange(4000) % 7, "y": np.arange(4000) == 99})
    assert check(rare, checks=["constant_columns"])
    assert not check(rare, checks=["constant_columns"], target="y")  # what is to be predicted may be rare
    rare = pd.DataFrame({"x": range(300), "y": ["a"] * 298 + ["b"] * 2})
    (found,) = check(rare, checks=["imbalance"], target="y")
    assert found.severity == "warning"
    assert found.explanation.endswith("look at its recall, precision and average precision")


def test_the_share_of_a_rare_class_counts_the_class_none():
    severities = pd.DataFrame({"x": range(400), "y": ["none"] * 320 + ["minor"] * 76 + ["fatal"] * 4})
    assert "accuracy hardly shows" in check(severities, checks=["imbalance"], target="y")[0].explanation
    assert "only 4 rows (1%)" in check(severities, checks=["imbalance"], target="y")[0].explanation
    # Average precision is reported for two classes only.
    assert check(severities, checks=["imbalance"], target="y")[0].explanation.endswith("its recall and precision")


def test_what_models_stumble_over():
    x = rng.normal(size=300)
    table = pd.DataFrame({"wide": np.exp(2 * x), "small": x * 1e-6, "name": [f"n{i % 80}x" for i in range(300)]})
    assert [f.columns for f in check(table, checks=["skewed_columns"])] == [("wide",)]
    assert [f.columns for f in check(table, checks=["scales"])] == [("wide", "small")]
    (levels,) = check(table, checks=["many_levels"])
    assert (levels.columns, "target" in levels.explanation) == (("name",), False)
    (levels,) = check(table, checks=["many_levels"], target="wide")
    assert "encode them by the target" in levels.explanation


def test_a_share_of_the_values_is_not_called_one_of_the_rows() -> None:
    table = pd.DataFrame({"abv": ["5%", "6%", "0.055", "7", None, None, None, None] * 10})
    (found,) = check(table, checks=["text_numbers"])
    assert "(50% of the values)" in found.explanation


def test_dotted_days_are_not_turned_round_by_dates_with_strokes() -> None:
    table = pd.DataFrame({"day": ["2020-01-05", "05.01.2020", "01/25/2020", "2020-02-01"] * 10})
    fix = check(table, checks=["text_times"])[0].fix
    assert fix is not None
    assert set(fix.settings["formats"]) == {"%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"}


def test_rows_that_repeat_are_judged_by_what_their_columns_name() -> None:
    """A shop of many rows is no key of a row; long texts are not alike by chance; a few yes and no are."""
    random = np.random.default_rng(0)
    shops = pl.DataFrame(
        {"store_id": [f"YR{k:04d}" for k in random.integers(1000, 1020, 200)], "price": random.random(200)}
    )
    (found,) = check(pl.concat([shops] * 3)).of(check="duplicate_rows")
    assert found.severity == "warning"
    assert "no row should" not in found.explanation
    orders = shops.with_columns(pl.Series("order_id", np.arange(70_000, 70_200)))
    (found,) = check(pl.concat([orders, orders[:5]])).of(check="duplicate_rows")
    assert "with 'order_id' in it, no row should" in found.explanation
    words = ["call", "me", "when", "you", "are", "free", "to", "talk", "about", "the", "plan", "today"]
    texts = [" ".join(random.choice(words, 9)) for _ in range(200)]
    mails = pl.DataFrame({"label": random.choice(["ham", "spam"], 200), "text": texts})
    (found,) = check(pl.concat([mails, mails[:20]])).of(check="duplicate_rows")
    assert "by chance" not in found.explanation
    votes = pl.DataFrame({name: random.choice(["y", "n"], 200) for name in "abcd"})
    (found,) = check(votes).of(check="duplicate_rows")
    assert "by chance" in found.explanation


def test_rows_that_were_copied_once_are_not_alike_by_chance() -> None:
    """Chance that makes many pairs also makes threes, however uneven the values are; copies are pairs alone."""
    random = np.random.default_rng(0)
    voters = pl.DataFrame(
        {
            "income": np.minimum(random.geometric(0.15, 900), 17),
            "age": random.integers(18, 80, 900),
            "school": random.choice(4, 900, p=[0.1, 0.3, 0.4, 0.2]),
            "vote": random.choice(["no", "yes"], 900, p=[0.15, 0.85]),
        }
    )
    (found,) = check(voters).of(check="duplicate_rows")
    assert "by chance" in found.explanation
    (found,) = check(pl.concat([voters, voters[300:]])).of(check="duplicate_rows")
    assert "by chance" not in found.explanation
    assert found.severity == "warning"


def test_a_single_number_beside_words_is_a_name() -> None:
    table = pl.DataFrame({"race": ["5k"] * 80 + ["half-marathon"] * 20})
    assert len(check(table, checks=["text_numbers"])) == 0
    several = pl.DataFrame({"run": ["5k", "6k", "7k", "8k"] * 20 + ["none yet"] * 9})
    assert len(check(several, checks=["text_numbers"])) > 0


def test_several_frequent_texts_may_just_be_frequent() -> None:
    """A column has one stand-in; several titles that recur are those of several sellers."""
    titles = [f"{a} {b} {c}" for a in "abcde" for b in "fghij" for c in "kl"]
    offers = {"title": [*titles, *["brand new with wheel"] * 20, *["game and wheel"] * 9]}
    (found,) = check(pl.DataFrame(offers), checks=["repeated_values"])
    assert found.severity == "note"
    assert "they may just be frequent" in found.explanation


def test_a_frequent_town_among_towns_may_just_be_frequent() -> None:
    towns = [f"{a}{b}ton" for a in ("Ast", "Bur", "Cod", "Dor", "Els") for b in ("ing", "ham", "wes", "nor")]
    more = [f"{town} {which}" for town in towns for which in ("Hill", "Green", "Park", "Bay")]
    (found,) = check(pl.DataFrame({"town": [*more, *more[:3], *more[:1], *["London"] * 9]}), checks=["repeated_values"])
    assert found.confidence == "low"
    (found,) = check(pl.DataFrame({"town": [*more, *["elsewhere"] * 9]}), checks=["repeated_values"])
    assert found.confidence == "medium"


def test_examples_of_long_texts_show_what_is_wrong_with_them():
    start, end = "a review that begins like many others do, ", " and goes on for a long while after that"
    table = pd.DataFrame({"text": [f"{start}{k}{end}, said {k} people" for k in range(60)]})
    table.loc[3, "text"] = f"{start}won\x12t{end}"
    (hidden,) = check(table, checks=["blanks"])
    assert "won\\x12t" in hidden.explanation
    table.loc[3, "text"] = f"{start}£5 in a cafÃ©{end}"
    (garbled,) = check(table, checks=["encoding"])
    assert "cafÃ©" in garbled.explanation
    table.loc[3, "text"] = f"{start}won\x12t{end}"
    log = str(Cleaner(remedies=[Fix("remove_characters", ("text",), {"characters": "\x12"})]).fit(table).log_)
    before, after = log.split(" -> ")
    assert "won\\x12t" in before
    assert "wont" in after
