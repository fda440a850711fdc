"""Hash what every estimator learns and predicts, to prove that a change of names changes no value.

    python tools/fingerprint.py --write FILE [part of an estimator's name ...]
    python tools/fingerprint.py --compare FILE [--renames MAP] [part of an estimator's name ...]

``--write`` fits every estimator under every setting of the contract (``tests/contract/frame.py``) to several small
datasets and stores one hash for each public fitted attribute and each prediction method. ``--compare`` computes the
hashes again and exits with code 1 if any of them differs, is missing or is new.

Numbers and arrays are hashed by type, shape and bytes. Names in code do not count: an object of ours is the sorted
multiset of the hashes of its fields, so its class, its module, the names of its fields and the texts in them (options,
column names, messages) can change. Public names count. ``tools/fingerprint_renames.json`` maps those that have changed:

    {"estimators": {"OldName": "NewName"},
     "parameters": {"*": {"measure": "scoring"}},
     "attributes": {"OldName": {"ended_": "stop_reason_"}},
     "values":     {"OldName": {"shares": "proportions"}}}

Attributes include methods. Values are texts that an estimator takes as a parameter or stores in an attribute. "*"
stands for all estimators, "OldName" for one, and "OldName.old_name" for the values of one parameter or attribute. The
narrowest of these that lists a name applies.

The file is valid for one machine: with the same processor, NumPy and SciPy, Pellucid promises equal bits for any number
of threads, but not across processors (ARCHITECTURE.md, "Threads, bits, interruption"). It does not belong in the
repository.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import enum
import hashlib
import inspect
import json
import platform
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
from sklearn.base import clone

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from pellucid.association import AssociationRules  # noqa: E402  (after ROOT, which makes the tests importable)
from pellucid.preprocessing import LabelBinarizer, LabelEncoder, MultiLabelBinarizer  # noqa: E402
from tests.association.test_item_sets import MINERS, random_baskets  # noqa: E402
from tests.contract import frame  # noqa: E402
from tests.contract import test_threads as threads  # noqa: E402
from tests.recommend import tables as ratings  # noqa: E402
from tests.text import test_contract as texts  # noqa: E402

RENAMES = ROOT / "tools" / "fingerprint_renames.json"
REFUSED = "refused"  # in place of a hash where a fit or a prediction raises an error

HASHED_BY_FIELD = ("pellucid", "sklearn", "tests", "contract")  # pytest imports tests/contract as contract

Hashes = dict[str, dict[str, dict[str, str]]]  # of entry, dataset and item


# ------------------------------------------------------------------------------------------------------------- renames


class Renames:
    """Translates names of today to those of the file that is compared."""

    KINDS = ("parameters", "attributes", "values")

    def __init__(self, renames: Mapping[str, Any] | None = None) -> None:
        renames = renames or {}
        unknown = set(renames) - {"estimators", *self.KINDS}
        if unknown:
            raise ValueError(f"the map of renames has no section {', '.join(sorted(unknown))}")
        self._estimators = _inverse("estimators", renames.get("estimators", {}))
        self._names = {
            (kind, estimator): _inverse(f"{kind} of {estimator}", names)
            for kind in self.KINDS
            for estimator, names in renames.get(kind, {}).items()
        }

    def estimator(self, name: str) -> str:
        """The old name of an estimator."""
        return self._estimators.get(name, name)

    def name(self, kind: str, estimator: str, name: str, place: str = "") -> str:
        """The old name of a parameter or attribute of an estimator, or the old text of a value.

        ``estimator`` and ``place``, which is the parameter or attribute that has the value, are old names.
        """
        for scope in (f"{estimator}.{place}", estimator, "*"):
            old = self._names.get((kind, scope), {})
            if name in old:
                return old[name]
        return name


def _inverse(what: str, names: Mapping[str, str]) -> dict[str, str]:
    inverse = {new: old for old, new in names.items()}
    if len(inverse) < len(names):
        raise ValueError(f"two {what} have the same new name in the map of renames")
    return inverse


# -------------------------------------------------------------------------------------------------------------- hashes


def hash_value(value: Any, old_text: Callable[[str], str] = str) -> str:
    """A hash of the contents of a value; texts are translated by ``old_text`` first."""
    each = partial(hash_value, old_text=old_text)
    if isinstance(value, str):
        return _digest("text", old_text(str(value)))
    if isinstance(value, (bool, int, float, complex, datetime.date, datetime.timedelta)) or value is None:
        return _digest("scalar", repr(value.item() if isinstance(value, np.generic) else value))
    if isinstance(value, (np.ndarray, np.generic)):
        return _hash_array(np.asarray(value), each)
    if scipy.sparse.issparse(value):
        rows = value.tocsr()
        return _digest("sparse", *map(each, (rows.shape, rows.data, rows.indices, rows.indptr)))
    if isinstance(value, pd.DataFrame):
        return _digest("frame", *(each(name) + each(value[name].to_numpy()) for name in value))
    if isinstance(value, Mapping):
        return _digest("mapping", *sorted(each(key) + each(entry) for key, entry in value.items()))
    if isinstance(value, Set):
        return _digest("set", *sorted(map(each, value)))
    if isinstance(value, Sequence) and not hasattr(value, "_fields"):
        return _digest("sequence", *map(each, value))
    return _hash_object(value)


def _digest(kind: str, *contents: str | bytes) -> str:
    digest = hashlib.blake2b(kind.encode(), digest_size=6)
    for content in contents:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _hash_array(array: np.ndarray, each: Callable[[Any], str]) -> str:
    if array.dtype.names is not None:
        contents: Iterable[str | bytes] = [each(array[name]) for name in array.dtype.names]
    elif array.dtype.kind in "OUT":
        contents = [each(element) for element in array.ravel().tolist()]
    else:
        contents = [array.dtype.str, array.tobytes()]
    return _digest("array", repr(array.shape), *contents)


def _hash_object(value: Any) -> str:
    """The fields of one of our objects, or of an estimator of scikit-learn's, without their names and texts."""
    if type(value).__module__.split(".")[0] not in HASHED_BY_FIELD and not hasattr(value, "_fields"):
        raise TypeError(f"no rule for how to hash a {type(value).__module__}.{type(value).__name__}")
    contents = [field for field in _fields(value) if not _is_name(field)]
    return _digest("object", *sorted(hash_value(field, old_text=lambda _: "") for field in contents))


def _fields(value: Any) -> list[Any]:
    """What pickling keeps, and no cached properties: those are there or not depending on what was computed before."""
    if hasattr(value, "_fields"):
        return list(value)
    state = value.__getstate__()
    if not isinstance(state, Mapping):
        return list(state) if isinstance(state, tuple) else [state]
    return [field for name, field in state.items() if not isinstance(_static(value, name), cached_property)]


def _static(value: Any, name: str) -> Any:
    """What the class of a value has under a name; properties are not computed."""
    return inspect.getattr_static(type(value), name, None)


def _is_name(value: Any) -> bool:
    return value is None or isinstance(value, (str, type, enum.Enum, np.dtype)) or inspect.isroutine(value)


# ------------------------------------------------------------------------------------------------------------- entries


@dataclasses.dataclass(frozen=True)
class Dataset:
    """How to fit an estimator to a dataset, and what to call on the fitted estimator."""

    fit: Callable[[Any], Any]
    calls: Callable[[Any], dict[str, Callable[[], Any]]]


@dataclasses.dataclass(frozen=True)
class Entry:
    """An unfitted estimator and its datasets by name."""

    model: Any
    datasets: Callable[[], Mapping[str, Dataset]]


def entries() -> Iterator[Entry]:
    """Every public estimator under every setting of the tests."""
    for subject in frame.SUBJECTS:
        yield Entry(subject.make(), partial(_tables, subject))
    others = [
        ("texts", texts.MADE, _table(texts.X)),
        ("baskets", [*MINERS, AssociationRules(min_support=0.2, min_confidence=0.3)], _baskets()),
        ("ratings", ratings.ALL, _ratings()),
        ("labels", [LabelEncoder(), LabelBinarizer(), LabelBinarizer(neg_label=-1)], _labels(list("bacab"))),
        ("sets of labels", [MultiLabelBinarizer()], _labels([(2, 3), (1,), (), (1, 3)])),
    ]
    for name, models, dataset in others:
        yield from (Entry(model, partial(dict, {name: dataset})) for model in models)


def _tables(subject: frame.Subject) -> dict[str, Dataset]:
    """Tables that reach the different kernels: weights, single precision, zeros, categories and missing values."""
    small = frame.problem(subject)
    large = frame.problem(subject, rows=150, columns=9, seed=1)
    thirds = large.X / 3  # no binary fractions: every order of sums rounds differently
    categories, missing = pd.DataFrame(thirds).add_prefix("column "), thirds.copy()
    categories["column 0"] = np.array(["low", "medium", "high"])[np.digitize(thirds[:, 0], [-0.2, 0.2])]
    missing[::7, -1] = np.nan
    sparse = np.where(np.random.default_rng(2).random(thirds.shape) < 0.6, 0, thirds)
    datasets = {
        "small": _table(small.X, small.y),
        "thirds": _table(thirds, large.y),
        "float32": _table(thirds.astype(np.float32), large.y),
        "categories": _table(categories, large.y),
        "missing values": _table(missing, large.y),
    }
    if subject.takes_weight:
        datasets["weights"] = _table(thirds, large.y, large.weight / 3)
    if subject.tags.input_tags.sparse:
        datasets["sparse"] = _table(scipy.sparse.csr_matrix(sparse), large.y)
    if subject in threads.THREADED:
        datasets |= {size: _blocks(subject, *shape) for size, shape in threads.SIZES.items()}
    return datasets


def _blocks(subject: frame.Subject, rows: int, columns: int) -> Dataset:
    """A table of several blocks of rows or columns, and the main predictions, which grow no faster than the table."""
    X, y, _ = threads.data(subject, rows, columns)
    few_passes = {"max_iter": 20} if subject.name.startswith("MLP") else {}
    return Dataset(
        lambda model: frame.fit(model.set_params(**few_passes), X, y),
        lambda model: {name: partial(getattr(model, name), X) for name in frame.METHODS if hasattr(model, name)},
    )


def _table(X: Any, y: Any = None, weight: Any = None) -> Dataset:
    return Dataset(lambda model: frame.fit(model, X, y, weight), lambda model: _calls(model, X, y))


# Methods of X that fit again, derive a new estimator or render text.
NO_PREDICTION = ("fit", "partial_fit", "show_", "set_", "get_", "from_", "path", "clean")


def _calls(model: Any, X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    """Every public method that needs a table, or a table and its target, and nothing else."""
    calls: dict[str, Callable[[], Any]] = {}
    for name in dir(type(model)):
        if name.startswith(("_", *NO_PREDICTION)) or not callable(getattr(model, name, None)):
            continue
        parameters = list(inspect.signature(getattr(model, name)).parameters.values())
        required = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        if parameters and parameters[0].name == "X" and set(required) <= {"X", "y"}:
            calls[name] = partial(getattr(model, name), *([X, y] if "y" in required else [X]))
    if "inverse_transform" in calls and hasattr(model, "transform"):
        calls["inverse_transform"] = lambda: model.inverse_transform(model.transform(X))
    return calls


def _baskets() -> Dataset:
    return Dataset(lambda model: model.fit(random_baskets(60, 7, seed=0)), lambda _: {})


def _ratings() -> Dataset:
    users, items = np.repeat(range(30), 6), np.tile(range(6), 30)
    triples = ratings.triples(ratings.random_table(30, 6, seed=0))
    return Dataset(
        lambda model: ratings.fitted(model, triples),
        lambda model: {"predict": lambda: model.predict(users, items), "recommend_all": model.recommend_all},
    )


def _labels(y: Any) -> Dataset:
    return Dataset(
        lambda model: model.fit(y),
        lambda model: {
            "transform": lambda: model.transform(y),
            "inverse_transform": lambda: model.inverse_transform(model.transform(y)),
        },
    )


# ---------------------------------------------------------------------------------------------------------- estimators


def describe(model: Any, renames: Renames) -> str:
    """An estimator with the parameters that are not at their defaults, under old names."""
    name = renames.estimator(type(model).__name__)
    settings = []
    for key, parameter in inspect.signature(type(model)).parameters.items():
        old_key = renames.name("parameters", name, key)
        old_text = partial(renames.name, "values", name, place=old_key)
        value = _describe_value(getattr(model, key), renames, old_text)
        if value != _describe_value(parameter.default, renames, old_text):
            settings.append(f"{old_key}={value}")
    return f"{name}({', '.join(sorted(settings))})"


def _describe_value(value: Any, renames: Renames, old_text: Callable[[str], str]) -> str:
    if hasattr(value, "get_params"):
        return describe(value, renames)
    if isinstance(value, str):
        return repr(old_text(value))
    each = partial(_describe_value, renames=renames, old_text=old_text)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{each(key)}: {each(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(each, value)) + "]"
    return value.__name__ if isinstance(value, type) else repr(value)


def fitted_attributes(model: Any) -> dict[str, Callable[[], Any]]:
    """Public attributes that end in an underscore, also those that are computed when they are read."""
    computed = [name for name in dir(type(model)) if isinstance(_static(model, name), (property, cached_property))]
    names = {name for name in [*vars(model), *computed] if name.endswith("_") and not name.startswith("_")}
    return {name: partial(getattr, model, name) for name in sorted(names)}


def hash_model(model: Any, dataset: Dataset, renames: Renames) -> dict[str, str]:
    """The hashes of a fit under old names: its attributes first, because predictions may fill caches."""
    estimator = renames.estimator(type(model).__name__)
    try:
        dataset.fit(model)
    except Exception:  # of any class: those of ours may be renamed
        return {"fit": REFUSED}
    hashes = {}
    for items in (fitted_attributes(model), dataset.calls(model)):
        for name, compute in items.items():
            item = renames.name("attributes", estimator, name)
            hashes[item] = _hash_or_refused(compute, partial(renames.name, "values", estimator, place=item))
    return dict(sorted(hashes.items()))


def _hash_or_refused(compute: Callable[[], Any], old_text: Callable[[str], str]) -> str:
    try:
        value = compute()
        value = list(value) if isinstance(value, Iterator) else value
    except Exception:
        return REFUSED
    return hash_value(value, old_text)


def fingerprint(renames: Renames, selection: Sequence[str] = ()) -> Hashes:
    """The hashes of all entries, or of those with a part of their name among ``selection``, under old names."""
    hashes: Hashes = {}
    for entry in entries():
        key = describe(entry.model, renames)
        if key in hashes:
            raise ValueError(f"{key} is there twice")
        if not selection or any(part in key.partition("(")[0] for part in selection):
            hashes[key] = {
                name: hash_model(clone(entry.model), dataset, renames) for name, dataset in entry.datasets().items()
            }
    return hashes


# ------------------------------------------------------------------------------------------------------------- command


def differences(before: Hashes, now: Hashes) -> list[tuple[str, str, str, str]]:
    """What differs, as rows of entry, dataset, item and 'changed', 'raises' (an error), 'missing' or 'new'."""
    old, new = _flat(before), _flat(now)
    return [(*at, _status(old.get(at), new.get(at))) for at in old | new if old.get(at) != new.get(at)]


def _status(old: str | None, new: str | None) -> str:
    if new == REFUSED:
        return "raises"
    return "missing" if new is None else "new" if old is None else "changed"


def _flat(hashes: Hashes) -> dict[tuple[str, str, str], str]:
    return {
        (entry, dataset, item): digest
        for entry, datasets in hashes.items()
        for dataset, items in datasets.items()
        for item, digest in items.items()
    }


def environment() -> dict[str, str]:
    """What the last bits may depend on."""
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    return {"machine": f"{platform.system()} {platform.machine()} {_processor()}", **versions}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def write(file: Path, hashes: Hashes) -> None:
    file.write_text(json.dumps({"environment": environment(), "hashes": hashes}, indent=1) + "\n", encoding="utf-8")
    print(f"{file}: {len(_flat(hashes)):,} hashes of {len(hashes)} entries")


def compare(file: Path, renames: Renames, selection: Sequence[str]) -> int:
    """Prints what differs from the file; the exit code is 1 if anything does."""
    stored = json.loads(file.read_text(encoding="utf-8"))
    if stored["environment"] != environment():
        print(f"note: {file} was written in another environment, where last bits may differ: {stored['environment']}")
    now = fingerprint(renames, selection)
    before = {key: datasets for key, datasets in stored["hashes"].items() if not selection or key in now}
    rows = differences(before, now)
    for entry, dataset, item, status in rows:
        print(f"{status:8} {item:30} {dataset:15} {entry}")
    counts = Counter(status for *_, status in rows)
    print(", ".join(f"{n} {status}" for status, n in counts.items()) or f"all {len(_flat(now)):,} hashes are equal")
    return 1 if rows else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Hash what every estimator learns and predicts.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", type=Path, metavar="FILE", help="store the hashes")
    action.add_argument("--compare", type=Path, metavar="FILE", help="compare the hashes with stored ones")
    parser.add_argument("--renames", type=Path, default=RENAMES, metavar="MAP", help="JSON map of old to new names")
    parser.add_argument("selection", nargs="*", metavar="NAME", help="part of an estimator's (old) name")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    if options.write:
        write(options.write, fingerprint(Renames(), options.selection))
        return 0
    renames = Renames(json.loads(options.renames.read_text(encoding="utf-8")))
    return compare(options.compare, renames, options.selection)


if __name__ == "__main__":
    sys.exit(main())
