"""Fits on sparse tables whose index arrays are wrong. Run alone: a bad read may end the process."""

from __future__ import annotations

import json
import os

import numpy as np
import scipy.sparse as sp

from pellucid.linear_model import LinearRegression

Y = [1.0, 3.0, 3.0, 2.0, 5.0]


def csr(**changed: list[int]) -> sp.csr_matrix:
    table = sp.csr_matrix(np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 0.0], [5.0, 6.0], [7.0, 0.0]]))
    for name, values in changed.items():
        setattr(table, name, np.array(values, dtype=np.int32))
    return table


def csc(**changed: list[int]) -> sp.csc_matrix:
    table = csr().tocsc()
    for name, values in changed.items():
        setattr(table, name, np.array(values, dtype=np.int32))
    return table


def coo(row: int, column: int) -> sp.coo_matrix:
    table = csr().tocoo()
    table.coords[0][0], table.coords[1][0] = row, column
    return table


TABLES = {
    "csr: column too large": lambda: csr(indices=[0, 1, 1, 0, 9, 1, 0]),
    "csr: column negative": lambda: csr(indices=[0, 1, 1, 0, -1, 1, 0]),
    "csr: starts fall": lambda: csr(indptr=[0, 2, 5, 4, 6, 7]),
    "csr: starts end too late": lambda: csr(indptr=[0, 2, 3, 4, 6, 99]),
    "csr: first start not zero": lambda: csr(indptr=[1, 2, 3, 4, 6, 7]),
    "csc: row too large": lambda: csc(indices=[0, 2, 3, 999_999, 0, 1, 3]),
    "csc: row negative": lambda: csc(indices=[0, 2, 3, -999_999, 0, 1, 3]),
    "coo: row too large": lambda: coo(999_999, 0),
    "coo: column too large": lambda: coo(0, 9),
    "coo: row negative": lambda: coo(-999_999, 0),
}


def answer(name: str) -> str:
    try:
        return f"coefficients {LinearRegression().fit(TABLES[name](), Y).coef_}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def answer_of_a_child(name: str) -> str:
    """The answer, or how the process that worked on it ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, answer(name).encode())
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read) as said:
        return said.read() if status == 0 else f"the process died (status {status})"


if __name__ == "__main__":
    print(json.dumps({name: answer_of_a_child(name) for name in TABLES}))
