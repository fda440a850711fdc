"""What becomes of each column, and the preparation that makes it so.

A column is used by what its values mean (`pellucid.quality.semantic_types`): an identifier is left out, a code that is
stored as a number becomes one column for each frequent value, an integer date is taken apart as any other time, and the
words of an ordinal scale become their rank.

Four forms of a prepared table: ``table`` keeps names and gaps, for models that take both (trees, forests, boosting);
``matrix`` has numbers alone: gaps filled, numbers scaled, one column for each category, and for each word of a text;
``dense`` is a matrix without the texts, for models that take no sparse one. ``raw`` only chooses columns, for models
that are made of others, each with a preparation of its own.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import count
from pellucid.data.slices import column_of
from pellucid.impute import SimpleImputer
from pellucid.preprocessing import DateTimeFeatures, OneHotEncoder, OrdinalEncoder, StandardScaler
from pellucid.preprocessing.datetime_features import FEATURES
from pellucid.quality import ColumnProfile, Profile
from pellucid.quality.semantic_types import SemanticType
from pellucid.report.outcome import Role
from pellucid.report.page_text import cut

Form = Literal["table", "matrix", "dense", "raw"]
MOST_LEVELS = 1000
WORDS = 3.0  # a text has at least so many words on average
MANY_ROWS = 20  # per value, from which on an identifier is as good as a category
RARE = 10  # rows: categories in fewer are one
MOST_ONE_HOT = 40  # columns that a column of categories may become
MOST_WORDS = 2000  # of a column of texts
GAP = "missingindicator_"  # begins the name of the column that tells gaps
TRAIN = {"train", "training"}
PARTS = TRAIN | {"test", "testing", "valid", "validation", "val", "dev", "holdout", "hold-out"}


@dataclass(frozen=True)
class Columns:
    """The columns of each role, in the order of the table."""

    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()  # of the numbers, those with missing cells
    codes: tuple[str, ...] = ()  # categories that are stored as numbers
    scales: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # ordinal scales with their levels, lowest first
    formats: tuple[tuple[str, str], ...] = ()  # of the times, those stored as integers, with their format
    prefixed: bool = False  # do names of new columns begin with that of their step, as two would be equal otherwise?

    @property
    def used(self) -> tuple[str, ...]:
        """All that a model sees."""
        return self.numbers + self.categories + self.codes + self.ordered + self.times + self.texts

    @property
    def ordered(self) -> tuple[str, ...]:
        """The columns that hold an ordinal scale."""
        return tuple(name for name, _ in self.scales)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns whose values are names of categories, however they are stored."""
        return self.categories + self.codes + self.ordered

    @property
    def only_texts(self) -> bool:
        """Is there nothing but texts?"""
        return bool(self.texts) and len(self.texts) == len(self.used)

    def only(self, names: Collection[str]) -> Columns:
        """Those of the columns that are named."""
        lists = ("numbers", "categories", "times", "texts", "gaps", "codes")
        filtered: dict[str, Any] = {
            key: tuple(entry for entry in getattr(self, key) if entry in names) for key in lists
        }
        scales = tuple((name, levels) for name, levels in self.scales if name in names)
        return replace(
            self, **filtered, scales=scales, formats=tuple(entry for entry in self.formats if entry[0] in names)
        )

    def is_sparse(self, form: Form) -> bool:
        """Texts become so many columns, nearly all nought, that they are kept sparse. Where there are other columns,
        models that take a table as it is, or no sparse one, do without the texts."""
        return bool(self.texts) and (form == "matrix" or self.only_texts)


def roles_of(profile: Profile, target: str | None, drop: Sequence[str] = ()) -> tuple[Role, ...]:
    """The role of every column but the target, and why. Numbers that look like an identifier may predict a target if no
    other column is left; there are no clusters of them."""
    columns = [column for column in profile.columns if str(column.name) != target]
    roles = tuple(Role(str(column.name), *_role(column, drop)) for column in columns)
    if target is None or any(role.role != "left out" for role in roles):
        return roles
    identifiers = {str(column.name) for column in columns if column.stored == "number" and column.kind == "identifier"}
    why = "numbers that look like an identifier, but no other column is left"
    return tuple(
        Role(column_role.column, "number", why) if column_role.column in identifiers - set(drop) else column_role
        for column_role in roles
    )


def _role(column: ColumnProfile, drop: Sequence[str]) -> tuple[str, str]:
    if str(column.name) in drop:
        return "left out", "it was requested"
    if column.kind == "empty":
        return "left out", "no cell has a value"
    if column.kind == "constant":
        return "left out", "every cell that is there has the same value"
    if _says_which_part(column):
        return "left out", "it says which part of the data a row belongs to, such as train or test"
    if column.semantic is not None:
        role = _role_by_meaning(column, column.semantic)
        if role is not None:
            return role
    if column.kind == "identifier":
        if column.distinct == column.present and not column.distinct_is_estimate:
            return "left out", "every value occurs once: too many to learn from"
        about = "about " if column.distinct_is_estimate else ""
        many = f"{about}{column.distinct:,} different values in {column.present:,} rows"
        return "left out", f"{many}: too many to learn from"
    if column.stored == "text" and column.kind != "flag":  # numbers and times that the cleaning left as words
        return _role_of_words(column)
    if column.kind == "time":
        return "time", "taken apart into year, month, day, time of day and day of the week, where these vary"
    if column.kind == "flag":
        return ("category", "two values") if column.stored == "text" else ("number", "two values")
    if column.kind in ("discrete", "continuous"):
        return "number", "numbers"
    return _role_of_words(column)


def _says_which_part(column: ColumnProfile) -> bool:
    """Are the values the names of the parts of a data set, such as train and test? New rows have none."""
    words = {str(top.value).strip().lower() for top in column.top}
    return column.stored == "text" and 2 <= column.distinct <= len(PARTS) and words <= PARTS and bool(words & TRAIN)


def _role_by_meaning(column: ColumnProfile, semantic: SemanticType) -> tuple[str, str] | None:
    """The role that the meaning of the values asks for; None where they are used as they are stored."""
    if semantic.name == "identifier":
        if semantic.repeats and column.distinct <= MOST_LEVELS and column.present >= MANY_ROWS * column.distinct:
            return "category", f"{column.distinct} things that are named, each in many rows: {semantic.evidence}"
        n_again = 0 if column.distinct_is_estimate else column.present - column.distinct
        again = f" ({count(n_again, 'row')} with a value that an earlier row has)" if n_again > 0 else ""
        return "left out", f"an identifier{again}, which says nothing about a new one: {semantic.evidence}"
    if semantic.name == "phone_number":
        return "left out", f"phone numbers, which say nothing about a new one: {semantic.evidence}"
    if semantic.name in ("code", "zip_code") and column.stored == "number":
        present = max(column.present, 1)
        if column.distinct > min(MOST_LEVELS, present // 2):
            return "left out", f"{column.distinct:,} different codes in {present:,} rows: too many to learn from"
        return "category", f"{column.distinct} different codes, which are no quantities: {semantic.evidence}"
    if semantic.name in ("integer_date", "epoch"):
        if time_format(semantic) is None:
            return "number", f"times written as numbers: {semantic.evidence}"
        return "time", f"taken apart into its parts, where these vary: {semantic.evidence}"
    if semantic.name == "time_of_day" and time_format(semantic) is not None:
        return "time", f"taken apart into its parts, where these vary: {semantic.evidence}"
    if semantic.name == "ordinal" and semantic.levels and column.stored != "number":
        return "ordinal", f"a scale, from {cut(semantic.levels[0], 40)} to {cut(semantic.levels[-1], 40)}"
    return None


def time_format(semantic: SemanticType | None) -> str | None:
    """The format by which `DateTimeFeatures` reads dates and epochs stored as integers, and times of day in text."""
    if semantic is None:
        return None
    if semantic.name == "epoch":
        return {"s": "%s", "ms": "%Q"}.get(semantic.unit)
    has_format = semantic.name == "integer_date" or (semantic.name == "time_of_day" and semantic.unit.startswith("%"))
    return semantic.unit if has_format else None


def _role_of_words(column: ColumnProfile) -> tuple[str, str]:
    present = max(column.rows - column.missing, 1)
    if column.kind in ("nominal", "ordinal", "discrete") and column.distinct <= min(MOST_LEVELS, present // 2):
        return "category", f"{column.distinct} different values"
    words = sum(str(top.value).count(" ") + 1 for top in column.top) / max(len(column.top), 1)
    if words >= WORDS and column.distinct > 0.3 * present:
        return "text", "free text: its words are counted and weighed by how rare they are"
    if column.distinct <= min(MOST_LEVELS, present // 3):
        return "category", f"{column.distinct} different values"
    why = "too many for categories, and too few words for free text"
    return "left out", f"{column.distinct:,} different values in {present:,} rows: {why}"


def columns_of(roles: Sequence[Role], profile: Profile) -> Columns:
    """The columns by role."""
    by = {
        role: tuple(column_role.column for column_role in roles if column_role.role == role)
        for role in ("number", "category", "ordinal", "time", "text")
    }
    column_profiles = {str(column.name): column for column in profile.columns}
    meanings = {name: column.semantic for name, column in column_profiles.items() if column.semantic is not None}
    codes = tuple(name for name in by["category"] if column_profiles[name].stored == "number")
    formats = {name: time_format(meanings.get(name)) for name in by["time"]}
    return Columns(
        by["number"],
        tuple(name for name in by["category"] if name not in codes),
        by["time"],
        by["text"],
        gaps=tuple(name for name in by["number"] if column_profiles[name].missing),
        codes=codes,
        scales=tuple((name, meanings[name].levels) for name in by["ordinal"]),
        formats=tuple((name, form) for name, form in formats.items() if form is not None),
    )


def with_names_apart(columns: Columns, table: Any) -> Columns:
    """The columns, prefixed if a column that is made of another would have the name of one that there is, such as
    color_red beside the word red of color."""
    plain = {*columns.numbers, *columns.categories, *columns.ordered}
    generated = {f"{name}_{feature}" for name in columns.times for feature in FEATURES}
    names = sorted(plain | generated)
    collide = bool(plain & generated)
    for name in columns.named if not collide else ():
        start = f"{name}_"
        near = names[bisect_left(names, start) : bisect_right(names, start + chr(sys.maxunicode))]
        collide = collide or (
            bool(near) and not _levels(table, name).isdisjoint(neighbor[len(start) :] for neighbor in near)
        )
    return replace(columns, prefixed=True) if collide else columns


def _levels(table: Any, name: str) -> set[str]:
    """The distinct values of a column as names of columns have them."""
    values = column_of(table, name)
    return {text.removesuffix(".0") if values.dtype.kind == "f" else text for text in values.astype(str).tolist()}


def preparation(columns: Columns, form: Form) -> ColumnTransformer:
    """The unfitted transformer of raw columns into what a model takes."""
    if form == "raw":
        return chosen_columns(columns.used)
    if columns.only_texts or form == "matrix":
        return _matrix(columns)
    return _table(columns) if form == "table" else _matrix(replace(columns, texts=()))


def _table(columns: Columns) -> ColumnTransformer:
    plain_columns = columns.numbers + columns.categories
    steps: list[Any] = [("kept", "passthrough", list(plain_columns))] if plain_columns else []
    if columns.codes:
        steps.append(("codes", _one_hot(sparse=False), list(columns.codes)))
    if columns.scales:
        levels = [list(levels) for _, levels in columns.scales]
        ranks = OrdinalEncoder(categories=levels, handle_unknown="use_encoded_value", unknown_value=-1)
        steps.append(("scales", ranks, list(columns.ordered)))
    if columns.times:
        steps.append(("times", _time_features(columns), list(columns.times)))
    return _frame(steps, prefixed=columns.prefixed)


def _one_hot(*, sparse: bool) -> OneHotEncoder:
    """A column for each frequent category, and one for all rare ones and those that were never seen."""
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=RARE,
        max_categories=MOST_ONE_HOT,
        sparse_output=sparse,
        feature_name_combiner="concat_whole",
    )


def _time_features(columns: Columns) -> DateTimeFeatures:
    if not columns.formats:
        return DateTimeFeatures()
    return DateTimeFeatures(columns=list(columns.times), format=dict(columns.formats))


def chosen_columns(names: Sequence[str]) -> ColumnTransformer:
    """These columns, as they are."""
    return _frame([("kept", "passthrough", list(names))])


def _frame(steps: list[Any], *, prefixed: bool = False) -> ColumnTransformer:
    return ColumnTransformer(steps, verbose_feature_names_out=prefixed).set_output(transform="polars")


def _matrix(columns: Columns) -> ColumnTransformer:
    steps: list[Any] = []
    incomplete = set(columns.gaps)
    plain = [name for name in columns.numbers if name not in incomplete]
    if plain:
        steps.append(("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), plain))
    if columns.gaps:
        filled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
        steps.append(("numbers with gaps", filled, list(columns.gaps)))
    if columns.times:
        time_pipeline = make_pipeline(_time_features(columns), SimpleImputer(strategy="median"), StandardScaler())
        steps.append(("times", time_pipeline, list(columns.times)))
    if columns.categories or columns.scales:
        words = [*columns.categories, *columns.ordered]
        steps.append(("categories", _one_hot(sparse=bool(columns.texts)), words))
    if columns.codes:
        steps.append(("codes", _one_hot(sparse=bool(columns.texts)), list(columns.codes)))
    steps += [(name, _words(), name) for name in columns.texts]
    return ColumnTransformer(
        steps,
        sparse_threshold=1.0 if columns.texts else 0.0,
        verbose_feature_names_out=bool(columns.texts) or columns.prefixed,
    )


def origin(feature: str, columns: Columns) -> tuple[str, str]:
    """The column that a column of the matrix was made of, and what it says of it: "" for its number as it is.

    >>> columns = Columns(numbers=("age",), categories=("town", "town_now"), times=("born",))
    >>> origin("age", columns), origin("town_now_Oslo", columns), origin("town_None", columns)
    (('age', ''), ('town_now', 'Oslo'), ('town', 'missing'))
    >>> origin("missingindicator_age", columns), origin("born_year", columns)
    (('age', 'missing'), ('born', 'year'))
    """
    if columns.prefixed:
        step, _, feature = feature.partition("__")
        if step in ("categories", "codes", "times"):
            return _origin_of_made(feature, columns)
    if feature in columns.numbers:
        return feature, ""
    if feature.startswith(GAP):
        return feature.removeprefix(GAP), "missing"
    return _origin_of_made(feature, columns)


def _origin_of_made(feature: str, columns: Columns) -> tuple[str, str]:
    sources = [name for name in (*columns.named, *columns.times) if feature.startswith(f"{name}_")]
    if not sources:
        return feature, ""
    column = max(sources, key=len)
    value = feature.removeprefix(f"{column}_")
    return column, {"None": "missing", "nan": "missing", "infrequent_sklearn": "rare"}.get(value, value)


def _words() -> Any:
    from pellucid.text import TfidfVectorizer

    return TfidfVectorizer(min_df=2, max_features=MOST_WORDS, sublinear_tf=True)
