"""From a fitted model to an ONNX model: inputs, outputs, and what is told beside the graph."""

from __future__ import annotations

import json
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.validation import check_is_fitted

from pellucid import __version__
from pellucid.base.errors import DataError, NotFittedError, ParameterError, format_message, short_repr
from pellucid.base.types import Array
from pellucid.export.onnx.columns import Cell, Columns, Input
from pellucid.export.onnx.graph import ML, ML_OPSET, WHO, Graph, onnx_or_say
from pellucid.export.onnx.writing import Answer, refuse, writer_of, written

OPSET = 18  # the least that has every operator used here


def to_onnx(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    inputs: Literal["columns", "matrix"] = "columns",
    dtype: Literal["float64", "float32"] = "float64",
    opset: int = OPSET,
) -> Any:
    """A fitted model as an ONNX model, which any ONNX runtime answers with, without this library and without Python.

    All arithmetic is in 64-bit floats, trees included (the operator TreeEnsemble of ai.onnx.ml 5), so that a row takes
    the branches that it takes here, also where two values differ by less than 32 bits can say. The answers are the
    model's own up to the rounding of sums; rows at which two classes, or the distances of two neighbors, are equal up
    to that may get another label.

    Parameters
    ----------
    model : a fitted estimator of this library, or a pipeline, a column transformer or a search around such
    path : where to write it, optional
    inputs : "columns", one input of n x 1 a column, under the name it had in fit (x0, x1, ... without names), words
        for columns of words and numbers for all others, columns that the model never reads left out; or "matrix", one
        input X of n x p numbers
    dtype : of the numbers that go in and come out
    opset : version of ONNX's operators, 18 or later

    Returns
    -------
    onnx.ModelProto
        Outputs: ``label`` (n labels; n x t for several targets) and ``probabilities`` (n x classes, in the order of the
        metadata's ``classes``; ``probabilities_0``, ... for several targets), or ``scores`` where there are none;
        ``variable`` (n x k) for a regressor or a transformer (``variable_`` and the column's name, one output a column,
        where some of these hold words).

    Notes
    -----
    Missing numbers are NaN; missing words are "", "nan", "None" or "<NA>", as onnxruntime writes None, NaN and
    pandas.NA, unless fit saw such a category. What the model refuses (a missing value, a category that fit did not see)
    makes the runtime fail, and the name of the operator that fails says why. Infinite values are not looked for.
    ``metadata_props`` holds pellucid's version, the class, and as JSON the columns, the outputs and the classes.
    onnxruntime runs trees of 64-bit floats from version 1.21 on.

    Examples
    --------
    >>> from pellucid.export.onnx import to_onnx
    >>> from pellucid.linear_model import LinearRegression
    >>> made = to_onnx(LinearRegression().fit([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0]))
    >>> [one.name for one in made.graph.input], [one.name for one in made.graph.output]
    (['x0'], ['variable'])
    """
    onnx = onnx_or_say()
    _check(model, inputs, dtype, opset, onnx)
    if path is not None and not Path(fspath(path)).absolute().parent.is_dir():
        actual = f"there is no {str(Path(fspath(path)).parent)!r}"
        raise DataError(format_message(WHO, "the folder of the file must exist", actual=actual, hint="make it before"))
    writer_of(model)
    graph = Graph()
    names, given, columns = _inputs(graph, model, inputs, dtype)
    answer = written(graph, model, columns)
    outputs = _outputs(graph, answer, dtype, model)
    if graph.counted:
        first = next((one for one in given if one.kind), given[0])
        first.kind = first.kind or "numbers"
        graph.count_rows(first.name)
    used = [one for one in given if one.kind]
    made = _assembled(graph, used, outputs, opset)
    _tell(made, model, names, answer)
    onnx.checker.check_model(made, full_check=True)
    if path is not None:
        Path(fspath(path)).write_bytes(made.SerializeToString())
    return made


def _check(model: Any, inputs: str, dtype: str, opset: int, onnx: Any) -> None:
    for name, value, known in (
        ("inputs", inputs, ("columns", "matrix")),
        ("dtype", dtype, ("float64", "float32")),
    ):
        if value not in known:
            raise ParameterError(
                format_message(WHO, f"{name} must be {known[0]!r} or {known[1]!r}", actual=f"got {short_repr(value)}")
            )
    most = onnx.defs.onnx_opset_version()
    if isinstance(opset, bool) or not isinstance(opset, int) or not OPSET <= opset <= most:
        requirement = f"opset must be a whole number from {OPSET} on that the installed onnx knows"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {short_repr(opset)}"))
    if isinstance(model, type) or not hasattr(model, "get_params"):
        actual = f"got the class {model.__name__}" if isinstance(model, type) else f"got {short_repr(model)}"
        raise ParameterError(format_message(WHO, "model must be a fitted estimator", actual=actual))
    try:
        check_is_fitted(model)
    except SklearnNotFittedError:
        requirement = f"{type(model).__name__} must be fitted"
        raise NotFittedError(
            format_message(WHO, requirement, actual="it is not", hint="call fit before it is exported")
        ) from None


# --------------------------------------------------------------------------------------------------------------- inputs


def _inputs(graph: Graph, model: Any, inputs: str, dtype: str) -> tuple[list[str], list[Input], Columns]:
    """The names of the columns, the inputs of the graph, and the columns."""
    names = _names(model)
    if inputs == "matrix":
        whole = Input(graph, graph.names.fresh("X"), dtype, len(names))
        cells = tuple(Cell(name, whole, j, len(names)) for j, name in enumerate(names))
        return names, [whole], Columns(graph, cells)
    given = [Input(graph, graph.names.fresh(name), dtype) for name in names]
    return names, given, Columns(graph, tuple(Cell(one.name, one) for one in given))


def _names(model: Any) -> list[str]:
    """Names of the columns that fit saw."""
    own = getattr(model, "feature_names_in_", None)
    if own is None and getattr(model, "schema_", None) is not None and model.schema_.names is not None:
        own = model.schema_.names
    if own is None:
        width = getattr(model, "n_features_in_", None)
        if width is None:
            refuse(model, "does not know its columns", "fit it on a table of them")
        own = [f"x{j}" for j in range(int(width))]
    return [str(name) or f"x{j}" for j, name in enumerate(own)]


# -------------------------------------------------------------------------------------------------------------- outputs


def _outputs(graph: Graph, answer: Answer, dtype: str, model: Any) -> list[tuple[str, Any, list[Any]]]:
    """Name, type and shape of each output; the last operators write them."""
    found: list[tuple[str, Any, list[Any]]] = []
    if answer.numbers:
        return [_numbers(graph, answer.numbers, "variable", dtype)]
    if not answer.classes and answer.columns is not None:
        return _columns_out(graph, answer.columns, dtype)
    labels = [graph.take(_labels(own, model), code) for own, code in zip(answer.classes, answer.codes, strict=True)]
    label = graph.beside([graph.op("Unsqueeze", one, [1]) for one in labels]) if answer.several else labels[0]
    kind = graph.onnx.helper.np_dtype_to_tensor_dtype(_labels(answer.classes[0], model).dtype)
    found.append((_named(graph, label, "label"), kind, ["n", len(labels)] if answer.several else ["n"]))
    for k, part in enumerate(answer.probabilities):
        found.append(_numbers(graph, part, f"probabilities_{k}" if answer.several else "probabilities", dtype))
    if not answer.probabilities and answer.scores:
        found.append(_numbers(graph, answer.scores, "scores", dtype))
    return found


def _columns_out(graph: Graph, columns: Columns, dtype: str) -> list[tuple[str, Any, list[Any]]]:
    """One table of numbers; or, where some columns hold words, every column for itself."""
    if not any(cell.is_text for cell in columns.cells):
        return [_numbers(graph, columns.matrix(), "variable", dtype)]
    found = []
    for j, cell in enumerate(columns.cells):
        wish = f"variable_{cell.label}"
        if cell.is_text:
            found.append((_named(graph, columns.words(j), wish), graph.onnx.TensorProto.STRING, ["n", 1]))
        else:
            found.append(_numbers(graph, columns.number(j), wish, dtype))
    return found


def _labels(classes: Array, model: Any) -> Array:
    """Labels as a tensor can hold them."""
    kind = classes.dtype.kind
    if kind in "iu":
        return np.asarray(classes, dtype=np.int64)
    if kind == "b":
        return np.asarray(classes)
    if kind == "f":
        return np.asarray(classes, dtype=np.float64)
    listed = classes.tolist()
    if all(isinstance(label, str) for label in listed):
        return np.array(listed, dtype=object)
    if all(isinstance(label, bool) for label in listed):
        return np.array(listed, dtype=bool)
    if all(isinstance(label, int) for label in listed):
        return np.array(listed, dtype=np.int64)
    return refuse(
        model, f"has labels such as {short_repr(listed[0])}, which no tensor holds", "use words or whole numbers"
    )


def _numbers(graph: Graph, tensor: str, wish: str, dtype: str) -> tuple[str, Any, list[Any]]:
    proto = graph.onnx.TensorProto
    kind = proto.DOUBLE if dtype == "float64" else proto.FLOAT
    if dtype == "float32":
        tensor = graph.op("Cast", tensor, to=int(kind))
    return _named(graph, tensor, wish), kind, ["n", None]


def _named(graph: Graph, tensor: str, wish: str) -> str:
    """A tensor under a name of its own."""
    name = graph.names.fresh(wish)
    graph.nodes.append(graph.onnx.helper.make_node("Identity", [tensor], [name], name=name))
    return name


# ------------------------------------------------------------------------------------------------------------ the model


def _assembled(graph: Graph, used: list[Input], outputs: list[tuple[str, Any, list[Any]]], opset: int) -> Any:
    helper, proto = graph.onnx.helper, graph.onnx.TensorProto
    nodes, constants = graph.needed(name for name, _, _ in outputs)
    ins = []
    for one in used:
        kind = proto.STRING if one.kind == "words" else proto.DOUBLE if one.dtype == "float64" else proto.FLOAT
        ins.append(helper.make_tensor_value_info(one.name, kind, ["n", one.width or 1]))
    outs = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs]
    made = helper.make_graph(nodes, "pellucid", ins, outs, constants)
    sets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, ML_OPSET)]
    return helper.make_model(made, opset_imports=sets, ir_version=helper.find_min_ir_version_for(sets))


def _tell(made: Any, model: Any, names: list[str], answer: Answer) -> None:
    """Who wrote it, and what the tensors mean."""
    made.producer_name, made.producer_version = "pellucid", __version__
    made.doc_string = f"{type(model).__name__}, written by pellucid.export.to_onnx"
    told: dict[str, Any] = {
        "pellucid_version": __version__,
        "model": type(model).__name__,
        "columns": json.dumps(names),
        "outputs": json.dumps([one.name for one in made.graph.output]),
    }
    if answer.classes:
        labels = [np.asarray(own).tolist() for own in answer.classes]
        told["classes"] = json.dumps(labels if answer.several else labels[0])
    for key, value in told.items():
        made.metadata_props.add(key=key, value=str(value))
