"""What becomes of each column, and the preparation that makes it so.

Four forms of a prepared table: ``table`` keeps names and gaps, for models that take both (trees, forests, boosting);
``matrix`` has numbers alone: gaps filled, numbers scaled, one column for each category, and for each word of a text;
``dense`` is a matrix without the texts, for models that take no sparse one. ``raw`` only chooses columns, for models
that are made of others, each with a preparation of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from pellucid.impute import SimpleImputer
from pellucid.preprocessing import DateTimeFeatures, OneHotEncoder, StandardScaler
from pellucid.quality import ColumnProfile, Profile
from pellucid.report.outcome import Role

Form = Literal["table", "matrix", "dense", "raw"]
MOST_LEVELS = 1000
WORDS = 3.0  # a text has at least so many words on average
RARE = 10  # rows: categories in fewer are one
MOST_ONE_HOT = 40  # columns that a column of categories may become
MOST_WORDS = 2000  # of a column of texts
GAP = "missingindicator_"  # begins the name of the column that tells gaps


@dataclass(frozen=True)
class Columns:
    """The columns of each role, in the order of the table."""

    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()  # of the numbers, those with missing cells

    @property
    def used(self) -> tuple[str, ...]:
        """All that a model sees."""
        return self.numbers + self.categories + self.times + self.texts

    @property
    def only_texts(self) -> bool:
        """Is there nothing but texts?"""
        return bool(self.texts) and len(self.texts) == len(self.used)

    def is_sparse(self, form: Form) -> bool:
        """Texts become so many columns, nearly all nought, that they are kept sparse. Where there are other columns,
        models that take a table as it is, or no sparse one, do without the texts."""
        return bool(self.texts) and (form == "matrix" or self.only_texts)


def roles_of(profile: Profile, target: str | None, drop: Sequence[str] = ()) -> tuple[Role, ...]:
    """The role of every column but the target, and why."""
    return tuple(
        Role(str(column.name), *_role(column, drop)) for column in profile.columns if str(column.name) != target
    )


def _role(column: ColumnProfile, drop: Sequence[str]) -> tuple[str, str]:
    if str(column.name) in drop:
        return "left out", "you said so"
    if column.kind == "empty":
        return "left out", "no cell has a value"
    if column.kind == "constant":
        return "left out", "every cell that is there has the same value"
    if column.kind == "identifier":
        return "left out", "an identifier: every row has its own value, which says nothing about another row"
    if column.stored == "text" and column.kind != "flag":  # numbers and times that the cleaning left as words
        return _role_of_words(column)
    if column.kind == "time":
        return "time", "taken apart into year, month, day and hour, where these vary"
    if column.kind == "flag":
        return ("category", "two words") if column.stored == "text" else ("number", "yes or no")
    if column.kind in ("discrete", "continuous"):
        return "number", "numbers"
    return _role_of_words(column)


def _role_of_words(column: ColumnProfile) -> tuple[str, str]:
    present = max(column.rows - column.missing, 1)
    if column.kind in ("nominal", "ordinal", "discrete") and column.distinct <= min(MOST_LEVELS, present // 2):
        return "category", f"{column.distinct} different values"
    words = sum(str(top.value).count(" ") + 1 for top in column.top) / max(len(column.top), 1)
    if words >= WORDS and column.distinct > 0.3 * present:
        return "text", "free text: its words are counted and weighed by how rare they are"
    if column.distinct <= min(MOST_LEVELS, present // 3):
        return "category", f"{column.distinct} different values"
    return (
        "left out",
        f"{column.distinct:,} different values in {present:,} rows: too many to learn from, no text to read",
    )


def columns_of(roles: Sequence[Role], profile: Profile) -> Columns:
    """The columns by role."""
    by = {
        role: tuple(one.column for one in roles if one.role == role) for role in ("number", "category", "time", "text")
    }
    gaps = {str(column.name) for column in profile.columns if column.missing}
    with_gaps = tuple(name for name in by["number"] if name in gaps)
    return Columns(by["number"], by["category"], by["time"], by["text"], with_gaps)


def preparation(columns: Columns, form: Form) -> ColumnTransformer:
    """The unfitted transformer of raw columns into what a model takes."""
    if form == "raw":
        return chosen_columns(columns.used)
    if columns.only_texts or form == "matrix":
        return _matrix(columns)
    return _table(columns) if form == "table" else _matrix(replace(columns, texts=()))


def _table(columns: Columns) -> ColumnTransformer:
    kept = columns.numbers + columns.categories
    steps: list[Any] = [("kept", "passthrough", list(kept))] if kept else []
    if columns.times:
        steps.append(("times", DateTimeFeatures(), list(columns.times)))
    return _frame(steps)


def chosen_columns(names: Sequence[str]) -> ColumnTransformer:
    """These columns, as they are."""
    return _frame([("kept", "passthrough", list(names))])


def _frame(steps: list[Any]) -> ColumnTransformer:
    return ColumnTransformer(steps, verbose_feature_names_out=False).set_output(transform="polars")


def _matrix(columns: Columns) -> ColumnTransformer:
    steps: list[Any] = []
    gaps = set(columns.gaps)
    plain = [name for name in columns.numbers if name not in gaps]
    if plain:
        steps.append(("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), plain))
    if columns.gaps:
        filled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
        steps.append(("numbers with gaps", filled, list(columns.gaps)))
    if columns.times:
        parts = make_pipeline(DateTimeFeatures(), SimpleImputer(strategy="median"), StandardScaler())
        steps.append(("times", parts, list(columns.times)))
    if columns.categories:
        one_hot = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            min_frequency=RARE,
            max_categories=MOST_ONE_HOT,
            sparse_output=bool(columns.texts),
        )
        steps.append(("categories", one_hot, list(columns.categories)))
    steps += [(name, _words(), name) for name in columns.texts]
    return ColumnTransformer(
        steps, sparse_threshold=1.0 if columns.texts else 0.0, verbose_feature_names_out=bool(columns.texts)
    )


def origin(feature: str, columns: Columns) -> tuple[str, str]:
    """The column that a column of the matrix was made of, and what it says of it: "" for its number as it is.

    >>> columns = Columns(numbers=("age",), categories=("town", "town_now"), times=("born",))
    >>> origin("age", columns), origin("town_now_Oslo", columns), origin("town_None", columns)
    (('age', ''), ('town_now', 'Oslo'), ('town', 'missing'))
    >>> origin("missingindicator_age", columns), origin("born_year", columns)
    (('age', 'missing'), ('born', 'year'))
    """
    if feature in columns.numbers:
        return feature, ""
    if feature.startswith(GAP):
        return feature.removeprefix(GAP), "missing"
    made = [name for name in (*columns.categories, *columns.times) if feature.startswith(f"{name}_")]
    if not made:
        return feature, ""
    column = max(made, key=len)
    value = feature.removeprefix(f"{column}_")
    return column, {"None": "missing", "nan": "missing", "infrequent_sklearn": "rare"}.get(value, value)


def _words() -> Any:
    from pellucid.text import TfidfVectorizer

    return TfidfVectorizer(min_df=2, max_features=MOST_WORDS, sublinear_tf=True)
