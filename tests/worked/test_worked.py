"""Every answered example gives its figures, by the readable reference and by the kernels alike."""

from __future__ import annotations

import pytest

from .frame import PATHS, PathName, all_answers, answer, example_ids, faults, load, manifest, needs


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", all_answers())
def test_every_figure(name: str, path: PathName) -> None:
    needs(path)
    figures = [figure for figure in load(name).figures if not (figure.is_trace and path == "kernel")]
    found = faults(figures, answer(name, path))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", [name for name in all_answers() if any(f.is_trace for f in load(name).figures)])
def test_steps_that_the_kernel_shows(name: str) -> None:
    """A kernel need not take every step of the book, but those that it shows must be the book's."""
    given = answer(name, "kernel")
    steps = [figure for figure in load(name).figures if figure.is_trace and figure.name in given]
    found = faults(steps, given)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", all_answers())
def test_no_answer_without_a_figure(name: str) -> None:
    """A misspelt name in an answer would otherwise be a figure never compared."""
    assert set(answer(name, "reference")) <= {figure.name for figure in load(name).figures}


@pytest.mark.parametrize("name", example_ids())
def test_example_is_well_formed(name: str) -> None:
    example = load(name)
    names = [figure.name for figure in example.figures]
    assert example.id == name
    assert len(names) == len(set(names))


def test_manifest_lists_the_files_on_disk() -> None:
    assert sorted(manifest()["example"]) == example_ids()


def test_manifest_says_which_examples_are_answered() -> None:
    said = sorted(name for name, entry in manifest()["example"].items() if entry["answered"])
    assert said == sorted(set(all_answers()) & set(example_ids())), "run `make format` to bring the manifest up to date"


def test_manifest_counts_the_unanswered() -> None:
    unanswered = [name for name, entry in manifest()["example"].items() if not entry["answered"]]
    assert manifest()["unanswered"] == len(unanswered)


@pytest.mark.parametrize("entry", manifest()["example"].items(), ids=lambda item: item[0])
def test_manifest_names_what_answers(entry: tuple[str, dict[str, list[str]]]) -> None:
    assert entry[1]["by"], f"{entry[0]} must name at least one estimator or function"
