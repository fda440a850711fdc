"""A model file made by a stranger: whatever numbers its arrays hold, using the model never ends the process.

Every array of whole numbers in the file of every registered estimator is replaced, in turn, by others, and every array
of floats by shorter ones, under right checksums; the file is loaded and the model is used. That happens in child
processes, many cases in each, so that a signal or a hang is the fault of a case that has a name.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from pellucid.base.errors import DataError, PellucidError
from pellucid.neighbors import GraphNeighbors, ListNeighbors, LSHNeighbors, NearestNeighbors
from pellucid.outliers import IsolationForest
from pellucid.storage import load, save

from . import hostile
from .models import SUBJECTS, fitted, others
from .test_refusals import SHAPE

# What a reader of a strange file meets: our own errors and those of wrong values; a kernel that finds that its arrays
# do not fit (RuntimeError); a number so large that nothing can be made of that size; and a share of nothing.
ALLOWED = (PellucidError, ValueError, IndexError, RuntimeError, MemoryError, ZeroDivisionError)
SAMPLE = 8  # of the cases one in so many is tried unless all are asked for
PARTS = 2  # child processes: starting one takes longer than a hundred cases
# Their arrays are full of places in other arrays: all of their cases are always tried.
SEARCHED = (
    *("GraphNeighbors()", "ListNeighbors()", "LSHNeighbors()", "IsolationForest()"),
    *("KNeighborsClassifier()", "RadiusNeighborsClassifier()"),
)
MOST_ALIKE = 3  # of a hundred trees in a list so many are tried
PATIENCE = 60  # seconds for one case
MEMORY = 2**33  # bytes that a child may have: numbers that become sizes must not take the machine's
METHODS = (
    *("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples", "apply"),
    *("decision_path", "kneighbors", "radius_neighbors", "kneighbors_graph", "staged_predict", "recommend_all"),
)


class Case(NamedTuple):
    """One array of one model's file, and what is done to it."""

    model: str
    array: str
    change: str

    def __str__(self) -> str:
        return f"{self.model} | {self.array} | {self.change}"

    @property
    def is_sampled(self) -> bool:
        """Is it among those that are always tried?"""
        return self.model.startswith(SEARCHED) or zlib.crc32(str(self).encode()) % SAMPLE == 0


# --------------------------------------------------------------------------------------------------------- the changes


def _large(array: np.ndarray) -> np.ndarray:
    return np.full_like(array, min(2**30, np.iinfo(array.dtype).max))


def _negative(array: np.ndarray) -> np.ndarray:
    return np.full_like(array, np.array(-7).astype(array.dtype))


def _large_within(array: np.ndarray) -> np.ndarray:
    """One number in the middle: first and last are what they should be."""
    changed = array.copy(order="A")
    changed.flat[array.size // 2] = min(2**30, np.iinfo(array.dtype).max)
    return changed


def _negative_within(array: np.ndarray) -> np.ndarray:
    changed = array.copy(order="A")
    changed.flat[array.size // 2] = np.array(-7).astype(array.dtype)
    return changed


def _halved(array: np.ndarray) -> np.ndarray:
    return np.array(array[: len(array) // 2], order="A")


def _empty(array: np.ndarray) -> np.ndarray:
    return np.array(array[:0], order="A")


SHORTER: dict[str, Callable[[np.ndarray], np.ndarray]] = {"half of it": _halved, "none of it": _empty}
CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "2**30": _large,
    "-7": _negative,
    "2**30 in the middle": _large_within,
    "-7 in the middle": _negative_within,
    **SHORTER,
}


# ----------------------------------------------------------------------------------------------------------- the files


def arrays_of(content: Any, parts: dict[str, bytes]) -> dict[int, np.ndarray]:
    """The arrays of numbers of a file, by the number of the object."""
    found = {}
    for number, entry in enumerate(content["objects"]):
        told = entry.get("array")
        if told is None or np.dtype(told["dtype"]).kind not in "iuf" or 0 in told["shape"] or not told["shape"]:
            continue
        data = bytes.fromhex(told["hex"]) if "hex" in told else parts[f"arrays/{told['member']}.npy"]
        size = int(np.prod(told["shape"])) * np.dtype(told["dtype"]).itemsize
        flat = np.frombuffer(data[len(data) - size :], dtype=told["dtype"])
        found[number] = flat.reshape(told["shape"], order=told["order"])
    return found


def names_of(content: Any) -> dict[int, str]:
    """Of every object of a file how it is reached from the model."""
    names, waiting = {}, [("", content["root"])]
    while waiting:
        name, node = waiting.pop()
        if isinstance(node, dict) and set(node) == {"ref"}:
            if node["ref"] not in names:
                names[node["ref"]] = name
                waiting.append((name, content["objects"][node["ref"]]))
        elif isinstance(node, dict):
            waiting.extend((name if key in TAGS else f"{name}.{key}", part) for key, part in node.items())
        elif isinstance(node, list):
            pairs = all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in node)
            for i, part in enumerate(node):
                waiting.append((f"{name}.{part[0]}", part[1]) if pairs else (f"{name}[{i}]", part))
    return names


TAGS = ("object", "state", "own", "tuple", "list", "dict", "named", "items", "sparse", "parts", "objects", "masked")


def with_array(content: Any, parts: dict[str, bytes], number: int, array: np.ndarray) -> dict[str, bytes]:
    """The members of the file in which an object is another array."""
    told = content["objects"][number]["array"]
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    new = {"dtype": told["dtype"], "shape": list(array.shape), "order": order, "hex": array.tobytes(order="A").hex()}
    objects = [*content["objects"][:number], {"array": new}, *content["objects"][number + 1 :]]
    left = {name: data for name, data in parts.items() if name != f"arrays/{told.get('member')}.npy"}
    return {**left, "model.json": json.dumps({**content, "objects": objects}).encode()}


# ----------------------------------------------------------------------------------------------------- a child process


class Sitter(NamedTuple):
    """A model by name, and how it is fitted: to a model and the data that it is used with."""

    name: str
    is_default: bool
    fit: Callable[[], tuple[Any, Any]]


def sitters() -> list[Sitter]:
    """Every registered estimator, and those of other settings."""
    found = [Sitter(str(one), one.is_default, partial(fitted, one, "C order")) for one in SUBJECTS]
    found += [Sitter(one.id, True, partial(one.values[1], one.values[0])) for one in others()]
    return found


def use(model: Any, data: Any) -> list[BaseException]:
    """Asks a model for everything that it answers; the errors."""
    raised: list[BaseException] = []
    for name in [name for name in dir(type(model)) if name.endswith("_") and name[0] != "_"] + list(METHODS):
        try:
            found = getattr(model, name, None)  # an attribute that is worked out may be a reason to fail as well
            if name == "recommend_all" and found is not None:
                found()
            elif name == "staged_predict" and found is not None:
                list(found(data))
            elif name in METHODS and found is not None:
                found(data)
        except Exception as error:  # of whatever class: which it was is looked at
            raised.append(error)
    return raised


def cases_of(sitter: Sitter, path: Path) -> Iterator[tuple[Case, Callable[[], list[BaseException]]]]:
    """The cases of a model, with what tries them."""
    model, data = sitter.fit()
    save(model, path)
    parts = hostile.members(path)
    content = json.loads(parts["model.json"])
    names = names_of(content)
    alike: Counter[str] = Counter()
    for number, array in arrays_of(content, parts).items():
        alike[re.sub(r"\d+", "", names[number])] += 1
        if alike[re.sub(r"\d+", "", names[number])] > MOST_ALIKE:
            continue
        for word, change in (SHORTER if array.dtype.kind == "f" else CHANGES).items():

            def attempt(number: int = number, array: Any = array, change: Any = change) -> list[BaseException]:
                hostile.pack(path, with_array(content, parts, number, change(array)))
                try:
                    found = load(path)
                except Exception as error:
                    return [error]
                return use(found, data)

            yield Case(sitter.name, names[number], word), attempt


def main(part: int, first: int, skip: int, defaults: bool, everything: bool) -> None:
    """Tries the cases of a part, and says of each on a line of its own how it began and ended.

    first, skip : the model to begin with, and cases of it that were tried before
    """
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    chosen = [one for one in sitters() if one.is_default == defaults][part::PARTS]
    with tempfile.TemporaryDirectory() as folder:
        for number, sitter in enumerate(chosen[first:], start=first):
            for at, (case, attempt) in enumerate(cases_of(sitter, Path(folder) / "model")):
                if not (everything or case.is_sampled) or (number == first and at < skip):
                    continue
                print(json.dumps({"case": str(case), "model": number, "at": at}), flush=True)
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
                raised = attempt()
                faulthandler.cancel_dump_traceback_later()
                odd = [f"{type(one).__name__}: {one}" for one in raised if not isinstance(one, ALLOWED)]
                print(json.dumps({"raised": len(raised), "odd": odd}), flush=True)


# ---------------------------------------------------------------------------------------------------------- the parent


class Told(NamedTuple):
    """What children told: how many cases were tried, how many of them were refused, and those that went wrong."""

    tried: int
    refused: int
    wrong: list[str]


def told_by_children(part: int, defaults: bool, everything: bool) -> Told:
    """Runs a part; after a crash another child goes on behind the case that it died of."""
    tried, refused, wrong, begin = 0, 0, [], (0, 0)
    ways = [way for way in (os.environ.get("PYTHONPATH"), str(Path(__file__).parents[1])) if way]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ways)}
    while True:
        asked = [str(int(number)) for number in (part, *begin, defaults, everything)]
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-m", "storage.test_stranger", *asked],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[1],
            env=environment,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        cases, ends = lines[::2], lines[1::2]
        tried += len(cases)
        refused += sum(end["raised"] > 0 for end in ends)
        wrong += [f"{one['case']}: {end['odd'][0]}" for one, end in zip(cases, ends, strict=False) if end["odd"]]
        if done.returncode == 0:
            return Told(tried, refused, wrong)
        if len(cases) == len(ends):
            raise RuntimeError(done.stderr)
        begin = cases[-1]["model"], cases[-1]["at"] + 1
        trail = done.stderr.partition("Extension modules")[0][-1500:]
        wrong.append(f"{cases[-1]['case']}: the process ended with {done.returncode}\n{trail}")


def check(part: int, defaults: bool, everything: bool) -> None:
    told = told_by_children(part, defaults, everything)
    assert told.tried > told.refused > 0
    assert not told.wrong, "\n".join(told.wrong)


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_an_array_holds_a_model_answers_or_refuses(part: int, pytestconfig: pytest.Config) -> None:
    check(part, True, bool(pytestconfig.getoption("--exhaustive")))


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_models_of_other_settings_too(part: int, pytestconfig: pytest.Config) -> None:
    check(part, False, bool(pytestconfig.getoption("--exhaustive")))


INDICES = {
    "graph": GraphNeighbors(random_state=0),
    "lists": ListNeighbors(random_state=0),
    "planes": LSHNeighbors(random_state=0),
    "boxes": NearestNeighbors(algorithm="kd_tree"),
    "balls": NearestNeighbors(algorithm="ball_tree"),
    "trees": IsolationForest(n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", INDICES)
def test_an_index_that_a_search_could_leave_is_refused_when_it_is_loaded(
    name: str, change: str, tmp_path: Path
) -> None:
    table = np.random.default_rng(0).normal(size=(60, 3))
    save(INDICES[name].fit(table), tmp_path / "model")
    load(tmp_path / "model")  # as it was made it is taken
    parts = hostile.members(tmp_path / "model")
    content = json.loads(parts["model.json"])
    names = names_of(content)
    tried = 0
    for number, array in arrays_of(content, parts).items():
        inside = re.search(r"\.(arrays|buckets|tree|starts|left|column)\b", names[number])
        # Beyond all columns a cut leads out of a table, which comes with the call alone; below 0 there is a leaf.
        if inside is None or array.dtype.kind == "f" or (inside[1] == "column" and "of it" not in change):
            continue
        if names[number].endswith(".buckets[3]") and "of it" not in change:
            continue  # codes, which are compared and lead nowhere
        hostile.pack(tmp_path / "changed", with_array(content, parts, number, CHANGES[change](array)))
        with pytest.raises(DataError) as caught:
            load(tmp_path / "changed")
        assert SHAPE.fullmatch(str(caught.value))
        assert re.search(r"an? \w+(Index|Trees) holds what it cannot hold", str(caught.value))
        tried += 1
    assert tried >= 1


if __name__ == "__main__":
    part, first, skip, defaults, everything = map(int, sys.argv[1:])
    main(part, first, skip, bool(defaults), bool(everything))
