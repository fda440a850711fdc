"""A model file made by a stranger: whatever numbers its arrays hold, using the model never ends the process.

Every array of whole numbers in the file of every registered estimator is replaced, in turn, by others, under right
checksums; the file is loaded and the model is used. That happens in child processes, many cases in each, so that a
signal or a hang is the fault of a case that has a name.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from pellucid.base.errors import PellucidError
from pellucid.storage import load, save

from . import hostile
from .models import SUBJECTS, fitted, frame, others

ALLOWED = (PellucidError, ValueError, IndexError)
SAMPLE = 8  # of the cases one in so many is tried unless all are asked for
PARTS = 6  # child processes
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
        """Is it among the few that are always tried?"""
        return zlib.crc32(str(self).encode()) % SAMPLE == 0


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


CHANGES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "2**30": _large,
    "-7": _negative,
    "2**30 in the middle": _large_within,
    "-7 in the middle": _negative_within,
    "half of it": _halved,
    "none of it": _empty,
}


# ----------------------------------------------------------------------------------------------------------- the files


def whole_arrays(content: Any, parts: dict[str, bytes]) -> dict[int, np.ndarray]:
    """The arrays of whole numbers of a file, by the number of the object."""
    found = {}
    for number, entry in enumerate(content["objects"]):
        told = entry.get("array")
        if told is None or np.dtype(told["dtype"]).kind not in "iu" or 0 in told["shape"] or not told["shape"]:
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
            waiting.extend((f"{name}.{a}", b) for a, b in node) if pairs else waiting.extend(
                (f"{name}[{i}]", part) for i, part in enumerate(node)
            )
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
    default = {one.values[0].cls for one in ()}
    found = [Sitter(str(one), one.is_default, lambda one=one: fitted(one, "C order")) for one in SUBJECTS]
    found += [Sitter(one.id, True, lambda one=one: one.values[1](one.values[0])) for one in others()]
    return found


def use(model: Any, data: Any) -> list[BaseException]:
    """Asks a model for everything that it answers; the errors."""
    raised: list[BaseException] = []
    asked: list[Callable[[], Any]] = [
        lambda name=name: getattr(model, name) for name in dir(type(model)) if name.endswith("_") and name[0] != "_"
    ]
    for name in METHODS:
        if name == "recommend_all":
            asked.append(lambda: model.recommend_all() if hasattr(model, "recommend_all") else None)
        elif name == "staged_predict":
            asked.append(lambda: list(model.staged_predict(data)) if hasattr(model, "staged_predict") else None)
        else:
            asked.append(lambda name=name: getattr(model, name)(data) if hasattr(model, name) else None)
    for ask in asked:
        try:
            ask()
        except AttributeError as error:
            if "object has no attribute" not in str(error):
                raised.append(error)
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
    for number, array in whole_arrays(content, parts).items():
        for word, change in CHANGES.items():

            def attempt(number: int = number, array: Any = array, change: Any = change) -> list[BaseException]:
                hostile.pack(path, with_array(content, parts, number, change(array)))
                try:
                    found = load(path)
                except Exception as error:
                    return [error]
                return use(found, data)

            yield Case(sitter.name, names.get(number, f"object {number}"), word), attempt


def main(part: int, skip: int, defaults: bool, everything: bool) -> None:
    """Tries the cases of a part, and says of each on a line of its own how it began and ended."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    chosen = [one for one in sitters() if one.is_default == defaults][part::PARTS]
    with tempfile.TemporaryDirectory() as folder:
        at = 0
        for sitter in chosen:
            for case, attempt in cases_of(sitter, Path(folder) / "model"):
                if not (everything or case.is_sampled):
                    continue
                at += 1
                if at <= skip:
                    continue
                print(json.dumps({"case": str(case)}), flush=True)
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
    tried, refused, wrong = 0, 0, []
    while True:
        asked = [str(part), str(tried), str(int(defaults)), str(int(everything))]
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-m", "storage.test_stranger", *asked],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
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
        wrong.append(f"{cases[-1]['case']}: the process ended with {done.returncode}\n{done.stderr[-1500:]}")


@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_an_array_holds_a_model_answers_or_refuses(part: int, pytestconfig: pytest.Config) -> None:
    told = told_by_children(part, True, pytestconfig.getoption("--exhaustive"))
    assert told.tried > 0
    assert not told.wrong, "\n".join(told.wrong)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4] == "1")
