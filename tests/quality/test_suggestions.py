"""Suggestions: their names and confidence, which of them are applied, and the file in which they are edited."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality import Cleaner, Fix, check
from pellucid.quality.fixes import read_fixes, suggestions, write_fixes

TABLE = pl.DataFrame(
    {
        "city": ["Hamburg"] * 60 + ["Berlin"] * 38 + ["Hambrug", "berlin"],
        "size": ["12 oz", "16"] * 50,
        "age": [*range(20, 60), *range(20, 60), *range(20, 38), 999, 999],
    }
)


def cleaned(**settings: Any) -> pl.DataFrame:
    table: pl.DataFrame = Cleaner(**settings).fit(TABLE).clean(TABLE).table
    return table


def test_suggestions_have_names_confidence_and_counts() -> None:
    found = {one.suggestion: one for one in suggestions(check(TABLE))}
    assert {"merge_values:city", "to_number:size", "to_missing:age"} <= set(found)
    assert found["to_number:size"].confidence == "medium"
    assert all(one.confidence == "low" for one in found.values() if one.fix and one.fix.action == "clip")
    (slip,) = check(TABLE, checks=["misspellings"])
    assert slip.explanation == "may be a misspelling: 'Hambrug' (1 row) for 'Hamburg' (60 rows)"
    assert slip.option == "--apply merge_values:city"


def test_a_slip_that_is_made_again_and_again_is_less_likely_one() -> None:
    table = pl.DataFrame({"cause": ["other"] * 80 + ["mother"] * 7 + ["blood"] * 40})
    assert [slip.confidence for slip in check(table, checks=["misspellings"])] == ["low"]


def test_names_with_blanks_are_quoted_for_the_shell() -> None:
    (slip,) = check(TABLE.rename({"city": "my city"}), checks=["misspellings"])
    assert slip.option == "--apply 'merge_values:my city'"


def test_nothing_of_it_is_applied_by_default() -> None:
    assert cleaned().equals(TABLE)


def test_a_named_suggestion_is_applied_to_its_column_alone() -> None:
    table = cleaned(actions=["merge_values:city"])
    assert table["city"].unique(maintain_order=True).to_list() == ["Hamburg", "Berlin"]
    assert table.drop("city").equals(TABLE.drop("city"))


def test_an_action_is_applied_to_all_columns_from_the_confidence_on() -> None:
    assert cleaned(actions=["to_missing"])["age"].null_count() == 2
    assert cleaned(actions=["to_missing"], confidence="high").equals(TABLE)
    assert cleaned(actions=["to_missing:age"], confidence="high")["age"].null_count() == 2


def test_all_of_medium_confidence_neither_cuts_off_nor_makes_up() -> None:
    table = cleaned(actions="all")
    assert table["size"].to_list()[:2] == [12.0, 16.0]
    assert table["age"].null_count() == 2
    assert table["age"].dtype == TABLE["age"].dtype
    assert cleaned(actions=["all"]).equals(table)


SOLD = pl.DataFrame(
    {
        "item": ["tea", "cake", "milk", "salad", "juice"] * 20,
        "n": ["2", "3", "4", "5", "ERROR"] * 20,
        "price": ["1.5", "3.0", "2.0", "5.0", "4.0"] * 19 + ["1.5", None, "UNKNOWN", "5.0", "4.0"],
        "total": ["3.0", "ERROR", "8.0", "25.0", "12.0"] * 20,
    }
)


def test_what_is_worked_out_from_texts_reads_them_as_numbers() -> None:
    """Evidence that was found in columns as they read holds for the command that is printed with it."""
    for column, known in (("total", 19), ("n", 20)):
        (one,) = (f for f in check(SOLD) if f.suggestion == f"fill_from:{column}")
        assert len(one.rows) == known
        table = Cleaner(actions=[f"fill_from:{column}"]).fit(SOLD).clean(SOLD).table
        assert table[column].null_count() == 20 - known
        assert table["item"].equals(SOLD["item"])
    table = Cleaner(actions=["by_group:price"]).fit(SOLD).clean(SOLD).table
    assert table["price"].to_list()[-5:] == [1.5, 3.0, 2.0, 5.0, 4.0]
    assert table.drop("price").equals(SOLD.drop("price"))
    (one,) = (f for f in check(SOLD) if f.suggestion == "by_group:price")
    assert one.option == "--apply to_number:price --apply by_group:price"  # a key without a price loses its 'UNKNOWN'


def test_groups_are_filled_where_the_finding_says_so() -> None:
    """What more than half of a group's rows have does not follow from the group."""
    street = [name for name in ("Elm", "Oak", "Ash", "Fir", "Yew", "Box") for _ in range(20)]
    area = [{"Elm": "N", "Oak": "S", "Ash": "E", "Fir": "W", "Yew": "N", "Box": "S"}[name] for name in street]
    table = pl.DataFrame(
        {"street": [*street, "Bay", "Bay", *["Kay"] * 5], "area": [*area, "E", None, "W", "W", "W", "N", None]}
    )
    for name, rows in (("by_group:area", [121]), ("by_group:area:replace", [125])):
        (one,) = (f for f in check(table) if f.suggestion == name)
        cleaner = Cleaner(actions=[name]).fit(table)
        assert one.rows.tolist() == rows
        assert [change.rows.tolist() for change in cleaner.log_] == [rows]


def test_a_value_inside_another_goes_where_it_is_missing() -> None:
    cities, states = ["Chicago", "Denver", "Austin"] * 20, ["IL", "CO", "TX"] * 20
    table = pl.DataFrame({"city": [*cities, "Chicago IL", "Denver, CO", "Boston TX"], "state": [*states, *[None] * 3]})
    cleaned = Cleaner(actions=["extract_value:city"]).fit(table).clean(table)
    assert cleaned.table[60:].rows() == [("Chicago", "IL"), ("Denver", "CO"), ("Boston", "TX")]
    assert cleaned.table[:60].equals(table[:60])
    assert cleaned.log.replay(table).equals(cleaned.table)
    assert not Cleaner(actions=["extract_value:city"], target="state").fit(table).remedies_


def test_remedies_are_applied_after_the_lossless_changes() -> None:
    table = pl.DataFrame({"x": [" a", "a", "b"]})
    fix = Fix("merge_values", ("x",), {"pairs": [["a", "b"]]})
    assert Cleaner(actions=[fix]).fit(table).clean(table).table["x"].to_list() == ["b", "b", "b"]


def orders() -> pl.DataFrame:
    """Prices as text, some of which are missing; the total follows from them."""
    random = np.random.default_rng(0)
    amounts, prices = random.integers(1, 9, 300), random.integers(2, 30, 300) / 2
    columns = {"amount": amounts.astype(float), "price": prices, "total": amounts * prices}
    cells = {name: [str(value) for value in values] for name, values in columns.items()}
    for k, name in enumerate(cells):
        cells[name][7 * k + 3] = "ERROR"
    return pl.DataFrame({"order": [f"T{k:04d}" for k in range(300)], **cells})


def answers() -> pl.DataFrame:
    """Few values, so that rows repeat by chance, and a sign that nobody sees."""
    random = np.random.default_rng(1)
    table = {name: random.choice(["often", "never"], 40).tolist() for name in ("tea", "wine")}
    return pl.DataFrame({**table, "said": [f"number {k % 13} of them said so" for k in range(39)] + ["no\x12thing"]})


@pytest.mark.parametrize("table", [TABLE, orders(), answers()], ids=["cities", "orders", "answers"])
def test_every_suggestion_does_something_when_it_is_applied_as_it_says(table: pl.DataFrame) -> None:
    found = [one for one in check(table) if one.fix is not None]
    assert found
    for one in found:
        named = [word for word in shlex.split(one.option) if word != "--apply"]
        changed = Cleaner(actions=named).fit(table).clean(table).table
        assert not changed.equals(table), one.option


def test_each_of_several_suggestions_for_a_column_has_a_name_of_its_own() -> None:
    names = ["Smith", "Jones", "Meyer"] * 30 + ["Unknown"] * 4 + ["Null"] * 5 + ["Test"] * 3
    table = pl.DataFrame({"surname": names})
    found = [one for one in check(table) if one.suggestion and one.suggestion.startswith("to_missing")]
    assert {one.suggestion for one in found} == {f"to_missing:surname:{word}" for word in ("Unknown", "Null", "Test")}
    for one in found:
        missing = Cleaner(actions=[one.suggestion]).fit(table).clean(table).table["surname"].is_null()
        assert missing.arg_true().to_list() == one.rows.tolist()
    both = Cleaner(actions=["to_missing:surname"]).fit(table).clean(table).table["surname"]
    assert both.null_count() == 12


def test_a_word_for_a_missing_value_is_among_numbers_only_if_there_are_any() -> None:
    (found,) = check(pl.DataFrame({"w": ["NA", None, "NA"] * 9}), checks=["placeholders"])
    assert "among" not in found.explanation


def test_strings_of_bits_are_not_typed_to_fill_a_field() -> None:
    random = np.random.default_rng(3)
    bits = [f"{n:08b}" for n in (*random.integers(0, 256, 300).tolist(), 0, 255)]
    assert not check(pl.DataFrame({"relays": bits}), checks=["dummies"])
    phones = [f"{n:010d}" for n in random.integers(10**9, 10**10, 300).tolist()]
    assert check(pl.DataFrame({"phone": [*phones, "0000000000"]}), checks=["dummies"])


def test_a_conversion_states_how_it_reads_days_and_months_that_no_value_tells_apart() -> None:
    random = np.random.default_rng(4)
    days = [f"{day:02d}/{month:02d}/2020" for day, month in random.integers(1, 13, (90, 2)).tolist()]
    (found,) = check(pl.DataFrame({"day": days}), checks=["text_times"])
    assert found.confidence == "low"
    assert "no value tells the day from the month: read as %" in found.explanation


def test_what_computes_with_texts_converts_them_first() -> None:
    found = [one for one in check(orders()) if one.fix is not None and one.fix.action == "fill_from"]
    assert {str(one.suggestion) for one in found} == {"fill_from:amount", "fill_from:price", "fill_from:total"}
    named = [word for word in shlex.split(found[0].option) if word != "--apply"]
    assert named[:-1] == ["to_number:amount", "to_number:price", "to_number:total"]


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'merge_values'"):
        cleaned(actions=["merge_value:city"])


@pytest.mark.parametrize(
    "levels",
    [
        ("Very_Good", "Very_Poor"),
        ("Finished", "Unfinished"),
        ("moral", "immoral"),
        ("GasA", "GasW"),
        ("FuseF", "FuseP"),
        ("N5EYAA", "N5CYAA"),
        ('LETTER "A" BLING', 'LETTER "W" BLING'),
        ("north gate", "south gate"),
    ],
    ids=str,
)
def test_other_words_and_codes_are_not_called_misspellings(levels: tuple[str, str]) -> None:
    assert not check(pl.DataFrame({"x": [levels[0]] * 90 + ["Other"] * 20 + [levels[1]]}), checks=["misspellings"])


CASE_HAS_A_MEANING = {
    "keys of music": ["A", "a", "Bb", "bb", "C#m", "c#m", "F", "f"],
    "units": ["m", "M", "mW", "MW", "Pa", "pA", "kg", "s", "S"],
    "elements and compounds": ["Co", "CO", "No", "NO", "Cs", "CS", "Na", "K", "k"],
    "alleles": ["AA", "Aa", "aA", "aa"],
    "sequences": ["ACGT", "acgt", "ACgt"],
    "codes": ["72801C", "72801c", "AB12", "ab12", "Brca1", "BRCA1"],
    "chords": ["II", "ii", "III", "iii", "vii", "VII"],
    "paths": ["/usr/bin", "/usr/Bin", "C:\\\\Temp", "C:\\\\temp"],
    "Turkish, where ı and i are two letters": ["DIŞ", "diş", "Iğdır"],
    "long and double s": ["Maße", "Masse"],
    "stars": ["HD 209458 b", "HD 209458 B"],
}


@pytest.mark.parametrize("levels", CASE_HAS_A_MEANING.values(), ids=CASE_HAS_A_MEANING.keys())
def test_values_whose_case_has_a_meaning_are_not_merged(levels: list[str]) -> None:
    assert not check(pl.DataFrame({"x": levels * 20}), checks=["case_variants"])


@pytest.mark.parametrize(
    "cells",
    [["Rome"] * 50 + ["rome", "ROME"], ["M", "F", "m", "f"] * 20, ["USD", "usd"] * 20, ["New York", "new york"] * 9,
     ["DIŞ", "dış"] * 20, [f"{a}{b}" for a in "ABCDE" for b in "XYZ"] * 9 + ["ax", "by"]],
    ids=["towns", "sexes", "currencies", "two words", "Turkish", "states"],
)  # fmt: skip
def test_words_that_differ_in_case_only_are_merged(cells: list[str]) -> None:
    (finding,) = check(pl.DataFrame({"x": cells}), checks=["case_variants"])
    assert finding.suggestion == "merge_values:x"


@pytest.mark.parametrize("signs", [("A", "A+"), ("C", "C#"), ("Qxe5", "Qxe5#"), ("3", "3*")], ids=str)
def test_signs_behind_letters_and_numbers_are_not_stray(signs: tuple[str, str]) -> None:
    assert not check(pl.DataFrame({"x": [signs[0]] * 60 + ["B"] * 30 + [signs[1]] * 9}), checks=["stray_characters"])


def test_initials_of_words_are_a_suggestion_of_low_confidence() -> None:
    for cells in (["female", "male"] * 20 + ["F", "M", "F"], ["Female", "Male"] * 20 + ["f"] * 5):
        table = pl.DataFrame({"x": cells})
        (found,) = check(table, checks=["initials"])
        assert (found.confidence, found.suggestion) == ("low", "merge_values:x")
        assert len(found.rows) == len(cells) - 40
        assert Cleaner().fit(table).clean(table).table.equals(table)


@pytest.mark.parametrize(
    "cells",
    [["A", "B", "C", "D"] * 9 + ["All", "None of them"], ["A", "B"] * 9 + ["All", "Both"], ["A", "B", "AB", "O"] * 9,
     ["male", "mare", "female", "M"] * 9, ["north", "south", "east", "N"] * 9, ["M", "medium", "large", "XL"] * 9],
    ids=["answers", "two answers", "blood groups", "two words", "one letter", "sizes"],
)  # fmt: skip
def test_letters_of_their_own_are_no_initials(cells: list[str]) -> None:
    assert not check(pl.DataFrame({"x": cells}), checks=["initials"])


VALUES_LIKE_OTHERS = {
    "tickers": (["AAPL", "MSFT", "BRK.A", "ON", "IT", "V"], ["NA", "NULL", "NAN", "TBD"]),
    "countries and words": (["DE", "FR", "US", "another country", "several countries", "GB-ENG"], ["NA"]),
    "airlines": (["AA", "9E", "UA", "B6"], ["NA"]),
    "elements": (["H", "He", "K", "Co", "In"], ["Na"]),
    "severities": (["INFO", "WARN", "DEBUG"], ["ERROR", "NULL"]),
    "surnames": (["Smith", "De La Cruz", "O'Neil", "Meyer", "van Dam"], ["Null", "Nan"]),
    "Morse codes": ([".-", "-...", "-.-.", "..-"], ["-", ".", "---", ".."]),
    "children": (["0", "1", "2", "3", "4"], ["none"]),
}


@pytest.mark.parametrize(("others", "values"), VALUES_LIKE_OTHERS.values(), ids=VALUES_LIKE_OTHERS.keys())
def test_values_like_the_others_are_hardly_called_missing(others: list[str], values: list[str]) -> None:
    found = check(pl.DataFrame({"x": [*others, *values] * 9}), checks=["placeholders"])
    assert found
    assert all(one.confidence == "low" and " may stand for " in one.explanation for one in found)


@pytest.mark.parametrize("word", ["NA", "unknown", "?", "n/a", "NULL"])
def test_no_word_is_said_to_be_a_missing_value(word: str) -> None:
    for others in (["red", "green"], ["1.5", "2.5", "3.25"]):
        (found,) = check(pl.DataFrame({"x": [*others * 9, word]}), checks=["placeholders"])
        assert found.confidence == "medium"
        assert "stands for" not in found.explanation


LOST_AS_NUMBERS = {
    "censored": (["1.74", "2.39", "<0.5", ">100"], None),
    "ages": (["18", "45", "63", "80+"], None),
    "many censored": ([*(f"{k}.7" for k in range(12)), "<0.5", ">100"], "reads each as the limit itself"),
    "beyond all numbers": (["1e400", "2", "3"], None),
    "words": (["1.7", "2.4", "3.1", "5.2", "TNTC"], "a conversion makes 'TNTC' (9 times) missing"),
    "versions": (["1.1", "1.10", "1.2"], "'1.1' and '1.10' would become the same number"),
    "calling codes": (["+1", "+44", "+49"], "may be codes"),
    "shares beside percentages": (["50%", "75%", "0.5", ".25"], "shares, not percentages"),
    "numbers of paragraphs": (["(1)", "(2)", "(10)"], "may number paragraphs"),
    "items of a list": (["1,2", "1,3", "2,3"], "between the items of a list"),
}


@pytest.mark.parametrize(("cells", "words"), LOST_AS_NUMBERS.values(), ids=LOST_AS_NUMBERS.keys())
def test_what_a_conversion_to_numbers_would_lose_is_stated(cells: list[str], words: str | None) -> None:
    found = [one for one in check(pl.DataFrame({"x": cells * 9})) if one.suggestion == "to_number:x"]
    assert bool(found) == (words is not None)
    assert all(one.confidence == "low" and str(words) in one.explanation for one in found)


@pytest.mark.parametrize(
    "cells",
    [["1", "1a", "2", "10", "1A"], ["12", "3T", "10T", "14"], ["R1", "1R", "1r", "1"], ["0", "+1", "2+"], ["3", "3*"]],
    ids=str,
)
def test_letters_and_signs_of_codes_are_no_units(cells: list[str]) -> None:
    assert not [one for one in check(pl.DataFrame({"x": cells * 9})) if one.suggestion == "to_number:x"]


@pytest.mark.parametrize(
    ("cells", "words"),
    [(["2:06", "3:45", "12:30"], None), (["2020-01-02 24:00", "2020-01-02 23:00", "2020-01-02 01:00"], None),
     (["06/07/50", "27/08/57", "13/01/49"], "two digits"),
     (["2023-01-01T10:00:00+02:00", "2023-01-02T10:00:00-05:00"], "universal time"),
     (["2023-01-01 10:00:00.123456789", "2023-01-02 10:00:00.5"], "cut off")],
    ids=["durations", "the end of a day", "short years", "offsets", "nanoseconds"],
)  # fmt: skip
def test_what_a_conversion_to_times_would_lose_is_stated(cells: list[str], words: str | None) -> None:
    findings = check(pl.DataFrame({"x": cells * 9}), checks=["text_times"])
    assert not [one for one in findings if one.suggestion == "to_missing:x"]
    found = [one for one in findings if one.suggestion == "to_time:x"]
    assert bool(found) == (words is not None)
    assert all(one.confidence == "low" and str(words) in one.explanation for one in found)


def test_null_is_no_number_written_as_a_word() -> None:
    findings = check(pl.DataFrame({"x": ["3", "7", "5", "NULL", "9"] * 9}))
    assert not [one for one in findings if "words" in one.explanation]
    assert all(one.fix.settings["words"] is False for one in findings if one.suggestion == "to_number:x")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "cells",
    [["a=b?c", "?a=1"], ["[a-z]?x", "a?b*"], ["v?x/y", "u?z:1"], ["n\u0303a", "b\u0330o"]],
    ids=["queries", "patterns", "paths", "letters with combining accents"],
)
def test_signs_with_a_meaning_are_no_lost_letters(cells: list[str]) -> None:
    assert not check(pl.DataFrame({"x": [*cells, "plain"] * 9}), checks=["encoding"])


def test_letters_that_seem_lost_are_not_said_to_be() -> None:
    (likely,) = check(pl.DataFrame({"x": ["M?ller", "Meyer"] * 9}), checks=["encoding"])
    (certain,) = check(pl.DataFrame({"x": ["M\ufffdller", "Meyer"] * 9}), checks=["encoding"])
    assert ("may have been lost" in likely.explanation, likely.severity) == (True, "warning")
    assert ("may have been lost" in certain.explanation, certain.severity) == (False, "error")


def test_of_garbled_texts_it_is_said_how_many_are_repaired_for_certain() -> None:
    names = ["MÃ¼ller", "CafÃ©", "Meyer", "/Ãº1.20"]  # the last may be meant
    (finding,) = check(pl.DataFrame({"x": names * 9}), checks=["encoding"])
    assert "3 different texts can be repaired, 2 for certain" in finding.explanation


def test_an_outline_is_trimmed_with_low_confidence_only() -> None:
    (found,) = check(pl.DataFrame({"x": ["Assets", "  Cash", "  Bank", "Liabilities"] * 9}), checks=["blanks"])
    assert (found.suggestion, found.confidence) == ("trim:x", "low")


@pytest.mark.parametrize("sign", ["\x12", "\x05", "\u200b", "\xad"])
def test_signs_nobody_sees_inside_a_text_are_removed_where_that_is_asked_for(sign: str) -> None:
    """Trimming the ends, which was suggested, would leave them."""
    texts = [f"in the {k}th story nothing happens , and nobody minds" for k in range(60)]
    table = pl.DataFrame({"review": [texts[0].replace("th", f"th{sign}"), *texts[1:]]})
    (found,) = check(table, checks=["blanks"])
    changed = Cleaner(actions=[str(found.suggestion)]).fit(table).clean(table).table
    assert changed["review"].to_list() == texts


def test_hexadecimal_numbers_have_no_odd_forms() -> None:
    numbers = [f"0x{40503 * k % 65536:04X}" for k in range(1, 200)]
    assert not check(pl.DataFrame({"x": numbers}), checks=["odd_shapes"])


def test_few_rows_make_no_column_a_recoding_of_another() -> None:
    few = pl.DataFrame({"a": [1, 2, 2, 3, 1], "b": ["x", "y", "y", "z", "x"]})
    assert not check(few, checks=["redundant_columns"])
    assert check(pl.concat([few] * 3), checks=["redundant_columns"])


def test_columns_that_are_nearly_constant_are_no_recodings_of_each_other() -> None:
    """Both are zero but in one row: that tells nothing of what they mean."""
    first, second = np.zeros(500, dtype=int), np.zeros(500, dtype=int)
    first[7], second[7] = 38, 236
    assert not check(pl.DataFrame({"a": first, "b": second}), checks=["redundant_columns"])
    first[:40], second[:40] = 38, 236
    assert check(pl.DataFrame({"a": first, "b": second}), checks=["redundant_columns"])


# ------------------------------------------------------------------------------------------------------------ the file


def fixes_file(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "fixes.json"
    write_fixes(check(TABLE), path)
    return path, json.loads(path.read_text("utf-8"))


def test_nothing_in_a_new_file_is_marked(tmp_path: Path) -> None:
    path, content = fixes_file(tmp_path)
    assert read_fixes(path) == []
    assert all(fix["evidence"] and fix["confidence"] in ("high", "medium", "low") for fix in content["fixes"])


def test_an_edited_fix_is_applied(tmp_path: Path) -> None:
    path, content = fixes_file(tmp_path)
    fix = next(fix for fix in content["fixes"] if fix["settings"].get("pairs") == [["Hambrug", "Hamburg"]])
    fix["apply"] = True
    fix["settings"]["pairs"].append(["Berlin", "Berlin (city)"])
    path.write_text(json.dumps(content), "utf-8")
    table = cleaned(actions=read_fixes(path))
    assert table["city"].unique(maintain_order=True).to_list() == ["Hamburg", "Berlin (city)", "berlin"]
    assert table.drop("city").equals(TABLE.drop("city"))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("apply", "yes", "'apply' of fix 1 must be true or false, and has 'yes'"),
        ("action", "polish", "the action of fix 1 is 'polish'; there are"),
        ("columns", "city", "'columns' of fix 1 must be a list"),
        ("settings", {"color": 1}, "the settings of fix 1 have 'color'"),
        ("color", 1, "fix 1 has 'color', which is unknown"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, key: str, value: Any, words: str) -> None:
    path, content = fixes_file(tmp_path)
    content["fixes"][0][key] = value
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(DataError, match=words):
        read_fixes(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1", "utf-8")
    (tmp_path / "b.json").write_text("[1]", "utf-8")
    with pytest.raises(DataError, match="it is no JSON"):
        read_fixes(tmp_path / "a.json")
    with pytest.raises(DataError, match="a list of fixes"):
        read_fixes(tmp_path / "b.json")
    with pytest.raises(DataError, match="it cannot be read"):
        read_fixes(tmp_path / "c.json")
