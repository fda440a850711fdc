"""Files that are no model files, or hostile ones, are refused in one sentence each, and nothing else happens."""

from __future__ import annotations

import json
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pellucid.base.errors import DataError, DataTypeError
from pellucid.storage import load, read_card, save

from . import hostile

SHAPE = re.compile(r"(load|read_card): [^\n]+\.(\nhint: [^\n]+\.)?")


def refused(path: Path, words: str) -> None:
    """The file is refused in one sentence with these words."""
    with pytest.raises(DataError, match=words) as caught:
        load(path)
    assert SHAPE.fullmatch(str(caught.value)), str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return hostile.good(tmp_path / "model.pellucid")


def test_what_is_made_by_hand_here_is_loaded_where_nothing_is_wrong(file: Path, tmp_path: Path) -> None:
    made = hostile.pack(tmp_path / "made", hostile.members(file))
    assert load(made).predict([[3.0]]) == load(file).predict([[3.0]])
    packed = hostile.pack(tmp_path / "made", hostile.members(file), deflated=True)
    assert load(packed).predict([[3.0]]) == load(file).predict([[3.0]])
    assert load(hostile.with_attribute(tmp_path / "made", {"ref": 1000}, {"list": [1]})).odd_ == [1]


# ------------------------------------------------------------------------------------------------------------ the file


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "modal.pellucid").touch()
    refused(tmp_path / "model.pellucid", r"the file must exist; there is no 'model.pellucid'; .*'?modal.pellucid")
    refused(tmp_path, "is a folder")
    with pytest.raises(DataTypeError, match="path must be the path of a file; got int"):
        load(3)  # type: ignore[arg-type]


def test_files_that_are_no_archives(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"")
    refused(path, "it is empty")
    path.write_bytes(b"age,height\n1,2\n")
    refused(path, "it is no zip archive")
    path.write_bytes(pickle.dumps({"a": 1}))
    refused(path, "(?s)it is no zip archive.*hint: joblib and pickle")


def test_another_archive(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
    refused(path, "another zip archive, which holds 'word/document.xml'")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    refused(path, "its header does not say 'pellucid model'")


@pytest.mark.parametrize("text", ["", "[1", "NaN", '{"format": "pellucid model", "version": "1"}', "[" * 100_000])
def test_a_header_that_is_none(text: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model", "w") as archive:
        archive.writestr("header.json", text)
    refused(tmp_path / "model", "header")


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_file_that_is_cut_short(share: float, file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    refused(file, "it is cut short or damaged")


def test_a_file_with_something_behind_or_before(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data + b"x")
    refused(file, "cut short or damaged")
    file.write_bytes(b"x" + data)
    refused(file, "no zip archive")
    file.write_bytes(b"PK\x03\x04" + data)
    refused(file, "cut short or damaged")


def test_a_format_that_is_too_new(file: Path) -> None:
    hostile.pack(file, hostile.members(file), header={"version": 2, "pellucid": "9.1.0"})
    refused(file, r"(?s)pellucid 9\.1\.0 wrote it in version 2.*hint: install pellucid 9\.1\.0 or later")


# ------------------------------------------------------------------------------------------------------------- members


def test_a_member_that_is_missing(file: Path) -> None:
    parts = hostile.members(file)
    name = "arrays/0.npy"
    data = parts.pop(name)
    hostile.pack(file, parts, sums={name: {"bytes": len(data), "sha256": "0" * 64}})
    refused(file, f"{name} is missing")
    hostile.pack(file, parts)
    refused(file, f"refers to {name}, which is not there")
    del parts["card.json"]
    hostile.pack(file, parts)
    refused(file, r"card\.json is missing")


def test_a_member_too_many(file: Path) -> None:
    parts = hostile.members(file)
    hostile.pack(file, {**parts, "setup.py": b"print(1)"})
    refused(file, "it has 'setup.py', which is no part of a model file")
    hostile.pack(file, {**parts, "setup.py": b"print(1)"}, unlisted=("setup.py",))
    refused(file, "it has 'setup.py', which is no part of a model file")
    hostile.pack(file, {**parts, "arrays/99.npy": parts["arrays/0.npy"]})
    refused(file, "that no other refers to")


@pytest.mark.parametrize("name", ["../evil", "arrays/../../evil", "/etc/passwd", "C:\\evil", "a\\..\\evil", "\\evil"])
def test_a_member_that_leads_out_of_the_archive(name: str, file: Path) -> None:
    hostile.pack(file, {**hostile.members(file), name: b"evil"})
    refused(file, "leads out of the archive")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_stands_twice(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("card.json", b"{}")
    refused(file, "twice")


def test_a_checksum_that_does_not_fit(file: Path) -> None:
    parts = hostile.members(file)
    for name in ("arrays/0.npy", "model.json", "card.json"):
        hostile.pack(file, parts, sums={name: {"bytes": len(parts[name]), "sha256": "0" * 64}})
        refused(file, f"the checksum of {name} is another one")
    hostile.pack(file, parts, sums={"arrays/0.npy": {"bytes": 7, "sha256": "0" * 64}})
    refused(file, "the size of arrays/0.npy is another one than the header says")
    hostile.pack(file, parts, sums={"arrays/0.npy": "0" * 64})
    refused(file, "does not list the members")


def test_a_seal_that_is_broken(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:-64] + b"0" * 64)
    refused(file, "its seal is broken")


def test_an_encrypted_member(file: Path) -> None:
    data = bytearray(hostile.pack(file, hostile.members(file)).read_bytes())
    at = data.rindex(b"model.json") - 46
    struct.pack_into("<H", data, at + 8, 1)
    file.write_bytes(hostile.sealed(bytes(data)))
    refused(file, "packed in a way that save does not use")


# -------------------------------------------------------------------------------------------------------------- bombs


def sized(data: bytes, name: bytes, size: int) -> bytes:
    """An archive whose list says that a member is so large when it is unpacked."""
    changed = bytearray(data)
    at = changed.rindex(name) - 46
    struct.pack_into("<I", changed, at + 24, size)
    return hostile.sealed(bytes(changed))


def test_a_member_that_says_it_grows_beyond_what_packing_can_do(file: Path) -> None:
    parts = hostile.members(file)
    size = 3_000_000_000
    hostile.pack(file, parts, sums={"model.json": {"bytes": size, "sha256": "0" * 64}}, deflated=True)
    file.write_bytes(sized(file.read_bytes(), b"model.json", size))
    refused(file, "would grow from .* more than packing allows")


def test_a_member_that_grows_beyond_what_it_says(file: Path) -> None:
    parts = {**hostile.members(file), "model.json": b" " * 10_000_000}
    hostile.pack(file, parts, sums={"model.json": {"bytes": 1000, "sha256": "0" * 64}}, deflated=True)
    file.write_bytes(sized(file.read_bytes(), b"model.json", 1000))
    refused(file, "model.json cannot be unpacked")


def test_more_than_fits_into_the_limit(file: Path) -> None:
    with pytest.raises(DataError, match=r"(?s)max_bytes is 5,000.*hint: max_bytes=\d+ if you want"):
        load(file, max_bytes=5000)
    with pytest.raises(DataError, match=r"header.json takes [\d,]+ bytes and max_bytes is 100"):
        load(file, max_bytes=100)
    model = load(file, max_bytes=10**6)
    assert model.predict([[3.0]]) == hostile.tree().predict([[3.0]])


def test_members_that_share_their_bytes(file: Path) -> None:
    """One stretch of bytes that stands for many members."""
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        first, second = archive.getinfo("arrays/0.npy"), archive.getinfo("arrays/1.npy")
    at = data.rindex(b"arrays/1.npy") - 46
    assert struct.unpack_from("<I", data, at + 42)[0] == second.header_offset
    struct.pack_into("<I", data, at + 42, first.header_offset)
    file.write_bytes(bytes(data))
    refused(file, "its seal is broken")


def test_nested_without_end(file: Path) -> None:
    parts = hostile.members(file)
    hostile.pack(file, {**parts, "model.json": b'{"root":' + b"[" * 200_000 + b"]" * 200_000 + b"}"})
    refused(file, "model.json is nested too deeply")


def test_tuples_within_tuples_within_tuples(tmp_path: Path) -> None:
    entries = [{"tuple": [{"ref": 1001 + i}]} for i in range(300)] + [{"tuple": []}]
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, *entries), "100 deep")


def test_a_key_that_takes_for_ever_to_look_up(tmp_path: Path) -> None:
    """Fifty tuples, each of the next one twice: 2**50 values to look at."""
    entries = [{"tuple": [{"ref": 1002 + i}, {"ref": 1002 + i}]} for i in range(50)] + [{"tuple": []}]
    refused(
        hostile.with_attribute(tmp_path / "m", {"ref": 1000}, {"dict": [[{"ref": 1001}, 1]]}, *entries), "plain key"
    )
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, {"set": [{"ref": 1001}]}, *entries), "plain value")
    frozen = {"frozenset": [{"ref": 1001}]}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, frozen, *entries), "plain value")


def test_one_array_for_many(file: Path) -> None:
    """An array of the archive stands for one array of the model: a thousand of a gigabyte need a thousand members."""

    def change(content: Any) -> None:
        arrays = [entry["array"] for entry in content["objects"] if "member" in entry.get("array", {})]
        arrays[1].clear()
        arrays[1].update(arrays[0])

    hostile.pack(file, hostile.model_of(file, change))
    refused(file, "two arrays refer to member 0")


# -------------------------------------------------------------------------------------------------------------- arrays


def changed_array(file: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    def of_model(content: Any) -> None:
        change(next(entry["array"] for entry in content["objects"] if "member" in entry.get("array", {})))

    return hostile.pack(file, hostile.model_of(file, of_model))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dtype": "|O"}, "holds Python objects"),
        ({"dtype": "object"}, "is not one of numbers, flags, texts or times"),
        ({"dtype": "|V8"}, "is not one of numbers, flags, texts or times"),
        ({"dtype": [["a", "<f8"]]}, "is not one of numbers, flags, texts or times"),
        ({"dtype": "<f3"}, "is not one of numbers"),
        ({"dtype": "<i16"}, "is not known on this machine"),
        ({"shape": [3]}, "bytes and .* of shape"),
        ({"shape": [10**18, 10**18]}, "bytes and .* of shape"),
        ({"shape": [-1]}, "has no shape"),
        ({"shape": [True]}, "has no shape"),
        ({"shape": "3"}, "has no shape"),
        ({"order": "K"}, "does not say where its values are"),
        ({"member": 77}, "refers to arrays/77.npy, which is not there"),
        ({"member": "../0"}, "which is no number"),
        ({"member": -1}, "which is not there"),
        ({"hex": ""}, "does not say where its values are"),
        ({"more": 1}, "has not the parts"),
    ],
)
def test_an_array_that_is_not_what_the_model_says(change: dict[str, Any], words: str, file: Path) -> None:
    refused(changed_array(file, lambda array: array.update(change)), words)


def test_another_array_of_the_same_size(file: Path) -> None:
    refused(changed_array(file, lambda array: array.update(dtype=array["dtype"].replace("i", "u"))), "another array")


@pytest.mark.parametrize("sides", [[5], [2, 2], [0]])
def test_a_small_array_of_another_size(sides: list[int], tmp_path: Path) -> None:
    entry = {"array": {"dtype": "<f8", "shape": sides, "order": "C", "hex": "00" * 24}}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry), "has 24 bytes")


# ------------------------------------------------------------------------------------------------------------- classes

NO_CLASS = [
    "os:system",
    "builtins:eval",
    "builtins:object",
    "builtins:dict",
    "subprocess:Popen",
    "functools:partial",
    "collections:OrderedDict",
    "sklearn.linear_model:LinearRegression",
    "sklearn.utils._bunch:Bunch",
    "pellucid.tree.decision_tree:np",
    "pellucid.tree.decision_tree:Any",
    "pellucid.data.table:nw.DataFrame",
    "pellucid.base.errors:DataError",
    "pellucid.base.threads:_NoLimit",
    "pellucid.cli.main:main",
    "pellucid.demo:main",
    "pellucid.working.__main__:main",
    "pellucid.tree.__init__:DecisionTreeRegressor",
    "pellucid.plotting.curves:Any",
    "pellucid.storage.model_file:save",
    "pellucid.metrics._averages:UndefinedMetricWarning",
    "pellucid.ensemble._samples:_OfThread",
    "pellucid.tree:DecisionTreeRegressor",
    "pellucid.tree.decision_tree:CartTree",
    "pellucid..tree:DecisionTreeRegressor",
    "pellucid.tree.decision_tree:DecisionTreeRegressor.__init__",
    "pellucid.tree.decision_tree",
    "",
    " pellucid.tree.decision_tree:DecisionTreeRegressor",
    "pellucid.tree.decision_tree:DecisionTreeRegressor\n",
]


@pytest.mark.parametrize("name", NO_CLASS)
def test_a_class_that_no_model_may_hold(name: str, tmp_path: Path) -> None:
    entry = {"object": {"class": name, "state": []}}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry), "names the class .*, which")
    named = {"named": {"class": name, "items": []}}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, named), "names the class .*, which")
    refused(hostile.with_attribute(tmp_path / "m", {"enum": [name, "A"]}), "names the class .*, which|cannot be read")


def test_a_class_that_is_gone(tmp_path: Path) -> None:
    entry = {"object": {"class": "pellucid.tree.decision_tree:OldTree", "state": []}}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry), "OldTree', which this version does not have")
    entry = {"object": {"class": "pellucid.tree.old_tree:OldTree", "state": []}}
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry), "OldTree', which this version does not have")


def test_the_version_that_wrote_a_class_is_named(file: Path) -> None:
    def change(content: Any) -> None:
        content["objects"][0]["object"]["class"] = "pellucid.tree.decision_tree:OldTree"

    hostile.pack(file, hostile.model_of(file, change), header={"pellucid": "0.0.9"})
    refused(file, r"(?s)does not have.*hint: pellucid 0\.0\.9 wrote it")


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "builtins:eval",
        "numpy:load",
        "numpy:fromfile",
        "numpy:__import__",
        "numpy:lib.format",
        "pellucid.metrics:make_scorer",
        "pellucid.metrics:_read",
        "pellucid.metrics:import_module",
        "pellucid.quality:read",
        "pellucid.metrics.scorers:get_scorer",
    ],
)
def test_a_function_that_no_model_may_keep(name: str, tmp_path: Path) -> None:
    refused(hostile.with_attribute(tmp_path / "m", {"function": name}), "names the function .*, which is not among")


def test_a_type_that_no_model_may_keep(tmp_path: Path) -> None:
    for name in ("numpy ndarray", "python type", "os", ["python float"]):
        refused(hostile.with_attribute(tmp_path / "m", {"type": name}), "of the kind 'type' that cannot be read")


# -------------------------------------------------------------------------------------------------------------- objects


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"pickle": "gASVBQ=="}, "of the kind 'pickle', which is not known"),
        ({"tuple": [{"ref": 1000}]}, "holds itself"),
        ({"tuple": [{"ref": 4000}]}, "refers to object"),
        ({"tuple": [{"ref": -1}]}, "refers to object"),
        ({"tuple": [{"ref": True}]}, "refers to object"),
        ({"tuple": [{"ref": 1.0}]}, "refers to object"),
        ({"tuple": [{"ref": 0, "int": "1"}]}, "neither a value nor a reference"),
        ({"tuple": [[1]]}, "neither a value nor a reference"),
        ({"tuple": 3}, "no list"),
        ({"list": "abc"}, "no list"),
        ({"dict": {"a": 1}}, "no list of pairs"),
        ({"dict": [["a"]]}, "no pair"),
        ({"dict": [["a", 1], ["a", 2]]}, "the key 'a' twice"),
        ({"dict": [[{"ref": 0}, 1]]}, "plain key"),
        ({"set": [{"ref": 0}]}, "plain value"),
        ({"list": [1], "tuple": [1]}, "neither a value nor a reference"),
        ({"object": {"class": 3, "state": []}}, "cannot be read"),
        ({"object": {"state": []}}, "has not the parts class, state"),
        ({"object": []}, "has not the parts class, state"),
        ({"sparse": {"format": "lil", "array": True, "shape": [1, 1], "parts": {}}}, "cannot be read"),
        ({"sparse": {"format": "csr", "array": True, "shape": [1, 1], "parts": {}}}, "cannot be read"),
        ({"random": {"class": "Random", "state": {}}}, "not known"),
        ({"random": {"class": "RandomState", "state": {}}}, "neither a value nor a reference|cannot be read"),
        ({"objects": {"shape": [3], "order": "C", "items": [1]}}, "another number of values"),
        ({"masked": {"data": 1, "mask": 1, "fill": 1}}, "not made of arrays"),
    ],
)
def test_an_object_that_is_none(entry: Any, words: str, tmp_path: Path) -> None:
    refused(hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry), words)


@pytest.mark.parametrize(
    "node",
    [
        {"int": 3},
        {"int": "three"},
        {"float": "seven"},
        {"float": "00"},
        {"scalar": ["|O", "00"]},
        {"scalar": ["<f8", "00"]},
        {"scalar": "<f8"},
        {"bytes": "xyz"},
        {"date": "yesterday"},
        {"date": 3},
        {"fraction": [1, 0]},
        {"decimal": "one"},
        {"slice": [1, 2]},
        {"slice": [1, 2, {"slice": [1, 2, 3]}]},
        {"range": [1, 2, "a"]},
        {"complex": ["1", "2"]},
        {"enum": ["pellucid.data.kinds:Kind", "NOTHING"]},
        {"enum": ["pellucid.data.design:Schema", "names"]},
        {"dtype": "V8"},
        {"lambda": "x: x"},
        {},
    ],
)
def test_a_value_that_is_none(node: Any, tmp_path: Path) -> None:
    refused(hostile.with_attribute(tmp_path / "m", node), "it holds|an array's dtype|is no enumeration")


def state(name: str, value: Any) -> Callable[[Any], None]:
    """Puts an attribute into the first object of a model."""

    def change(content: Any) -> None:
        pairs = content["objects"][0]["object"]["state"]
        pairs[:] = [pair for pair in pairs if pair[0] != name] + ([] if value is None else [[name, value]])

    return change


@pytest.mark.parametrize("name", ["predict", "fit", "__class__", "__dict__", "_fit", "feature_importances_", "a b", ""])
def test_an_attribute_that_would_hide_a_method(name: str, file: Path) -> None:
    refused(hostile.pack(file, hostile.model_of(file, state(name, 1))), "which is not the name of one")


def test_a_field_that_is_missing(file: Path) -> None:
    refused(
        hostile.pack(file, hostile.model_of(file, state("max_depth", None))), "DecisionTreeRegressor has no max_depth"
    )


def test_a_setting_that_is_newer_than_the_file_has_its_default(file: Path) -> None:
    parts = hostile.model_of(file, state("min_samples_leaf", None))
    hostile.pack(file, parts, header={"pellucid": "0.0.9"})
    assert load(file).min_samples_leaf == 1


def test_a_pipeline_that_refers_to_pickled_files(tmp_path: Path) -> None:
    from sklearn.pipeline import make_pipeline

    from pellucid.dummy import DummyRegressor

    path = tmp_path / "m"
    save(make_pipeline(DummyRegressor()).fit([[1.0], [2.0]], [1.0, 2.0]), path)
    hostile.pack(path, hostile.model_of(path, state("memory", "/somewhere/else")))
    refused(path, "Pipeline refers to other files")


def test_a_random_generator_that_stands_outside_of_its_numbers(tmp_path: Path) -> None:
    """NumPy believes the place, and would read memory that is not its own."""
    import numpy as np

    from pellucid.dummy import DummyClassifier

    path = tmp_path / "m"
    save(DummyClassifier(random_state=np.random.RandomState(0)).fit([[1.0], [2.0]], ["a", "b"]), path)

    def change(content: Any) -> Any:
        return json.loads(json.dumps(content).replace('"pos": {"one": 624}', '"pos": {"one": 100000}'))

    hostile.pack(path, hostile.model_of(path, change))
    refused(path, "stands outside of its numbers")


def test_a_sparse_matrix_whose_columns_lie_outside(tmp_path: Path) -> None:
    def ints(*values: int) -> Any:
        data = b"".join(struct.pack("<i", value) for value in values).hex()
        return {"array": {"dtype": "<i4", "shape": [len(values)], "order": "C", "hex": data}}

    parts = {"data": {"ref": 1001}, "indices": {"ref": 1002}, "indptr": {"ref": 1003}}
    matrix = {"sparse": {"format": "csr", "array": True, "shape": [1, 3], "parts": parts}}
    for indices, starts in ((ints(99), ints(0, 1)), (ints(0), ints(0, 9)), (ints(-1), ints(0, 1))):
        path = hostile.with_attribute(tmp_path / "m", {"ref": 1000}, matrix, ints(1), indices, starts)
        refused(path, "is a sparse that cannot be read")
    path = hostile.with_attribute(tmp_path / "m", {"ref": 1000}, matrix, ints(1), ints(2), ints(0, 1))
    assert load(path).odd_.toarray().tolist() == [[0, 0, 1]]


def test_what_is_no_estimator(tmp_path: Path) -> None:
    content = {"root": {"ref": 0}, "objects": [{"list": [1]}]}
    path = hostile.good(tmp_path / "m")
    hostile.pack(path, {**hostile.members(path), "model.json": json.dumps(content).encode()})
    refused(path, "it holds a list, which is no estimator|that no other refers to")


@pytest.mark.parametrize(
    "content", [[], {}, {"root": 1}, {"root": 1, "objects": {}}, {"root": 1, "objects": [], "x": 1}]
)
def test_a_model_that_is_none(content: Any, file: Path) -> None:
    hostile.pack(file, {**hostile.members(file), "model.json": json.dumps(content).encode()})
    refused(file, "has not the parts|are no list|is no estimator")


@pytest.mark.parametrize("change", [{"columns": 3}, {"metrics": {"a": "b"}}, {"more": 1}, {"name": None}])
def test_a_card_that_is_none(change: dict[str, Any], file: Path) -> None:
    parts = hostile.members(file)
    parts["card.json"] = json.dumps({**json.loads(parts["card.json"]), **change}).encode()
    hostile.pack(file, parts)
    refused(file, "its card is not one")
    with pytest.raises(DataError, match=r"read_card: .*its card is not one"):
        read_card(file)
