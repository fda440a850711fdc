"""What all vectorizers share: how a text is read, cut into words, and made into terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    format_message,
    join_some,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.trace import Trace
from pellucid.text._stop_words import ENGLISH_STOP_WORDS
from pellucid.text._texts import all_texts, as_table, check_words, column_of, shown_value, texts_of
from pellucid.text._weights import GivesSparse

WORDS = r"(?u)\b\w\w+\b"
# Patterns that the kernel knows: words of so many letters or more.
_AT_LEAST = re.compile(r"(?:\(\?u\))?(?:\\b)?(?P<letters>(?:\\w)+)\+(?:\\b)?")
_COUNTED = re.compile(r"(?:\(\?u\))?(?:\\b)?\\w\{(?P<least>[1-9][0-9]?),\}(?:\\b)?")
_SPACES = re.compile(r"\s\s+")
_UNITS = {"word": 0, "char": 1, "char_wb": 2}


def _check_range(value: Any) -> str | None:
    whole = len(value) == 2 and all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in value)
    if whole and 1 <= value[0] <= value[1]:
        return None
    return f"ngram_range must be two whole numbers, the smaller of at least 1 first; got {value!r}"


def _check_stop(value: Any) -> str | None:
    if value is None or isinstance(value, str) or all(isinstance(word, str) for word in value):
        return None
    other = next(word for word in value if not isinstance(word, str))
    return f"stop_words must be 'english', a list of texts or None; got {short_repr(other)} among them"


def _check_pattern(value: Any) -> str | None:
    if value is None:
        return None
    try:
        groups = re.compile(value).groups
    except re.error as fault:
        return f"token_pattern must be a regular expression; got {value!r}: {fault}"
    if groups > 1:
        return f"token_pattern must have at most one group: More than 1 capturing group in token pattern; got {value!r}"
    return None


def strip_accents_unicode(text: str) -> str:
    """Letters without their accents: what remains of the text taken apart when marks are left out."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def strip_accents_ascii(text: str) -> str:
    """The same, and letters that are then not ASCII are left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


class TextReader(GivesSparse):
    """Reads columns of texts; a subclass makes columns of numbers of their terms."""

    input: Literal["content", "filename", "file"] = param(
        default="content", doc="What X holds: texts; names of files with the texts; or open files."
    )
    encoding: str = param(default="utf-8", doc="How bytes are read as text.")
    decode_error: Literal["strict", "ignore", "replace"] = param(
        default="strict", doc="What becomes of bytes that are no text: an error, nothing, or a mark."
    )
    strip_accents: Literal["ascii", "unicode"] | Callable | None = param(  # type: ignore[type-arg]
        default=None,
        doc='"unicode": letters lose their accents; "ascii": and what is not ASCII then is left out; or a function.',
    )
    lowercase: bool = param(default=True, doc="Are texts put into lower case first?")
    preprocessor: Callable | None = param(  # type: ignore[type-arg]
        default=None, doc="A function from text to text, in place of lower case and accents."
    )
    tokenizer: Callable | None = param(  # type: ignore[type-arg]
        default=None, doc="A function from a text to its list of words, in place of token_pattern."
    )
    stop_words: Literal["english"] | list | tuple | set | frozenset | None = param(  # type: ignore[type-arg]
        default=None, check=_check_stop, doc='Words left out: a list, or "english" for a small list of our own.'
    )
    token_pattern: str | None = param(
        default=WORDS,
        check=_check_pattern,
        doc="Regular expression of a word; the default: two or more letters, digits or underscores.",
    )
    ngram_range: tuple | list = param(  # type: ignore[type-arg]
        default=(1, 1), check=_check_range, doc="Fewest and most words (or letters) in a row that make a term."
    )
    analyzer: Literal["word", "char", "char_wb"] | Callable = param(  # type: ignore[type-arg]
        default="word",
        doc='What terms are made of: words, letters, letters within words ("char_wb"); or a function that gives them.',
    )

    input_spec: ClassVar[InputSpec] = InputSpec(raw=True, missing=True, categories=True)
    calls_blas: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.categorical = False
        return tags

    # ------------------------------------------------------------------------------------------------ the door

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        return super()._fit_table(self._as_table(X), y, sample_weight, record)

    def _validate_predict(self, X: Any) -> Design:
        self._check_fitted()
        return super()._validate_predict(self._as_table(X))

    def _as_table(self, X: Any) -> Any:
        return as_table(X, type(self).__name__, self._reads_objects or self.input == "file")

    @property
    def _reads_objects(self) -> bool:
        """Is what X holds read by a function of the user's first? Then it may be anything."""
        untouched = not self.lowercase and self.strip_accents is None
        return callable(self.analyzer) or self.preprocessor is not None or (untouched and self.tokenizer is not None)

    def _check_params(self) -> None:
        super()._check_params()
        who = type(self).__name__
        if self.analyzer == "word" and self.tokenizer is None and self.token_pattern is None:
            requirement = "token_pattern must be a regular expression where there is no tokenizer"
            raise ParameterError(format_message(who, requirement, actual="got None"))

    def _warn_of_stop_words(self) -> None:
        """Stop words are left out as they are met: one that is cut or changed before is never met."""
        if self.analyzer != "word" or self.stop_words is None or self.stop_words == "english":
            return
        if self.tokenizer is not None or self.preprocessor is not None:
            return
        prepare, cut, stop = self.build_preprocessor(), self.build_tokenizer(), self.get_stop_words() or frozenset()
        others = sorted({word for given in stop for word in cut(prepare(given)) if word not in stop})
        if others:
            requirement = (
                "Your stop_words may be inconsistent with your preprocessing: they must be words as texts are cut"
            )
            actual = f"cut that way they have {noun_list('word', map(repr, others))} besides"
            raise_at = format_message(type(self).__name__, requirement, actual=actual, hint="add these")
            warn(raise_at, PellucidWarning)

    # ------------------------------------------------------------------------------------------ steps, as functions

    def decode(self, doc: Any) -> Any:
        """A text from what X holds: a file's content, bytes in their encoding, or the text as it is."""
        who = type(self).__name__
        if self.input == "filename":
            try:
                with open(doc, "rb") as file:
                    doc = file.read()
            except (OSError, TypeError, ValueError) as fault:
                actual = f"{short_repr(doc)}: {getattr(fault, 'strerror', None) or fault}"
                raise DataError(
                    format_message(who, "X must hold names of files that can be read", actual=actual)
                ) from None
        elif self.input == "file":
            if not hasattr(doc, "read"):
                actual = f"{short_repr(doc)} cannot be read from"
                raise DataError(
                    format_message(who, "X must hold open files", actual=actual, hint="input='content' takes texts")
                )
            doc = doc.read()
        if isinstance(doc, bytes):
            try:
                return doc.decode(self.encoding, self.decode_error)
            except (UnicodeDecodeError, LookupError) as fault:
                hint = "try another encoding, such as 'latin-1', or decode_error='replace'"
                raise DataError(
                    format_message(who, f"bytes must be {self.encoding} text", actual=str(fault), hint=hint)
                ) from None
        return doc

    def build_preprocessor(self) -> Callable[[str], str]:
        """The function that a text goes through before it is cut: lower case, accents, or the user's own."""
        if self.preprocessor is not None:
            return self.preprocessor
        strip = {None: None, "ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
        known = self.strip_accents is None or isinstance(self.strip_accents, str)
        change: Any = strip[self.strip_accents] if known else self.strip_accents  # type: ignore[index]

        def prepared(text: str) -> str:
            text = text.lower() if self.lowercase else text
            return text if change is None else change(text)

        return prepared

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into words."""
        if self.tokenizer is not None:
            return self.tokenizer
        return re.compile(self.token_pattern or WORDS).findall

    def get_stop_words(self) -> frozenset[str] | None:
        """The words left out, or None."""
        if self.stop_words is None:
            return None
        return ENGLISH_STOP_WORDS if self.stop_words == "english" else frozenset(self.stop_words)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """The function from a text to its terms: all steps in a row, in Python."""
        if callable(self.analyzer):
            own = self.analyzer
            return lambda doc: list(own(self.decode(doc)))
        prepare, cut, stop = self.build_preprocessor(), self.build_tokenizer(), self.get_stop_words()
        low, high = self.ngram_range

        def in_words(doc: Any) -> list[str]:
            words = [word for word in cut(prepare(self.decode(doc))) if stop is None or word not in stop]
            return [" ".join(words[i : i + n]) for n in range(low, high + 1) for i in range(len(words) - n + 1)]

        def in_letters(doc: Any) -> list[str]:
            text = _SPACES.sub(" ", prepare(self.decode(doc)))
            return [text[i : i + n] for n in range(low, high + 1) for i in range(len(text) - n + 1)]

        def within_words(doc: Any) -> list[str]:
            found = []
            for piece in prepare(self.decode(doc)).split():
                word = f" {piece} "
                for n in range(low, high + 1):
                    if n >= len(word):
                        found.append(word)
                        break
                    found += [word[i : i + n] for i in range(len(word) - n + 1)]
            return found

        return {"word": in_words, "char": in_letters, "char_wb": within_words}[str(self.analyzer)]

    # ---------------------------------------------------------------------------------------------- for kernels

    def _shortest(self) -> int | None:
        """Letters of the shortest word if words are cut by the kernel, else None."""
        if self.tokenizer is not None or self.token_pattern is None:
            return None
        if found := _AT_LEAST.fullmatch(self.token_pattern):
            return len(found["letters"]) // 2
        found = _COUNTED.fullmatch(self.token_pattern)
        return int(found["least"]) if found else None

    def _read_column(self, d: Design, j: int) -> tuple[list[Any], bool, _core.TextAnalysis]:
        """Texts, or lists of their words; which of the two; and what the kernel still has to do with them."""
        values = column_of(d, j)
        if callable(self.analyzer):
            terms = [check_words(self.analyzer(self.decode(v)), d.who, i) for i, v in enumerate(values)]
            return terms, True, _analysis(0, False, 1, (1, 1), None)
        unit, stop = _UNITS[str(self.analyzer)], self.get_stop_words() if self.analyzer == "word" else None
        texts = self._texts(d, j, values)
        shortest = self._shortest() if unit == 0 else 1
        lower = self.lowercase and self.preprocessor is None and self.strip_accents is None
        if not lower or shortest is None:
            texts = self._prepared(d, texts)
            lower = False
        if shortest is None:
            cut = self.build_tokenizer()
            words = [check_words(cut(text), d.who, i) for i, text in enumerate(texts)]
            return words, True, _analysis(0, False, 1, self.ngram_range, stop)
        return texts, False, _analysis(unit, lower, shortest, self.ngram_range, stop)

    def _texts(self, d: Design, j: int, values: list[Any]) -> list[Any]:
        """The values of a column as texts."""
        if self.input == "content" and all_texts(values):
            return values
        return texts_of(d, j, self.decode, self._reads_objects, getattr(self, "missing", "empty") == "error")

    def _prepared(self, d: Design, texts: list[Any]) -> list[Any]:
        """Texts after the steps that Python does."""
        if self.preprocessor is None and self.strip_accents is None and not self.lowercase:
            return texts
        prepare = self.build_preprocessor()
        found = [prepare(text) for text in texts]
        if self._shortest() is not None or self.analyzer != "word":
            other = next((row for row, text in enumerate(found) if not isinstance(text, str)), None)
            if other is not None:
                requirement = "the preprocessor must give a text"
                raise DataError(
                    format_message(d.who, requirement, actual=f"of row {other} it gave {shown_value(found[other])}")
                )
        return found


def _analysis(unit: int, lower: bool, shortest: int, runs: Any, stop: frozenset[str] | None) -> _core.TextAnalysis:
    words = None if stop is None else sorted(stop)
    low, high = (int(n) for n in runs)
    return _core.TextAnalysis(unit=unit, lower=lower, shortest=shortest, low=low, high=high, stop=words)


def sparse_rows(parts: tuple[Floats, Any, Any], n_columns: int, dtype: Any = np.float64) -> csr_matrix:
    """A sparse matrix of what a kernel counted."""
    values, columns, starts = parts
    if len(values) < np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    else:
        columns = columns.astype(np.int64)
    made = csr_matrix(
        (values.astype(dtype, copy=False), columns, starts), shape=(len(starts) - 1, n_columns), copy=False
    )
    made.has_sorted_indices = made.has_canonical_format = True
    return made


def side_by_side(blocks: list[Any]) -> Any:
    """The columns of several matrices in one."""
    return blocks[0] if len(blocks) == 1 else hstack(blocks, format="csr", dtype=blocks[0].dtype)


def given_terms(vocabulary: Any, who: str) -> list[str]:
    """The terms of a vocabulary that was given, in the order of their columns."""
    hint = "give a list of terms, or a dict from each term to its column, counted from 0"
    requirement = "vocabulary must hold each term once"
    if isinstance(vocabulary, Mapping):
        places = list(vocabulary.values())
        if len(set(places)) < len(places):
            raise ParameterError(
                format_message(who, requirement, actual="Vocabulary contains repeated indices", hint=hint)
            )
        missing = [i for i in range(len(places)) if i not in set(places)]
        if missing:
            actual = f"Vocabulary of size {len(places)} doesn't contain index {join_some(missing, 3)}"
            raise ParameterError(format_message(who, requirement, actual=actual, hint=hint))
        terms = sorted(vocabulary, key=lambda term: vocabulary[term])
    elif isinstance(vocabulary, str) or not hasattr(vocabulary, "__iter__"):
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(vocabulary)}", hint=hint))
    else:
        terms = sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else list(vocabulary)
    other = next((term for term in terms if not isinstance(term, str)), None)
    if other is not None:
        raise ParameterError(
            format_message(who, "terms of a vocabulary must be texts", actual=f"got {short_repr(other)}", hint=hint)
        )
    seen: set[str] = set()
    for term in terms:
        if term in seen:
            raise ParameterError(
                format_message(who, requirement, actual=f"Duplicate term in vocabulary: {term!r}", hint=hint)
            )
        seen.add(term)
    if not terms:
        raise ParameterError(
            format_message(who, "vocabulary must not be empty", actual="empty vocabulary passed to fit", hint=hint)
        )
    return [str(term) for term in terms]
