"""Model files made by hand: members, checksums and seal as whoever makes the file wants them."""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from pellucid import __version__
from pellucid.dummy import DummyRegressor
from pellucid.storage import save
from pellucid.tree import DecisionTreeRegressor

ARRAY = re.compile(r"arrays/\d+\.npy")


def tree() -> Any:
    """A model with several arrays that are members of the archive."""
    x = np.arange(200.0)[:, None]
    return DecisionTreeRegressor().fit(x, np.sin(x.ravel()))


def good(path: Path) -> Path:
    """A file as `save` writes it."""
    save(tree(), path)
    return path


def members(path: Path) -> dict[str, bytes]:
    """The members of a file but its header."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "header.json"}


def pack(
    path: Path,
    parts: dict[str, bytes],
    *,
    header: dict[str, Any] | None = None,
    sums: dict[str, Any] | None = None,
    unlisted: tuple[str, ...] = (),
    deflated: bool = False,
) -> Path:
    """Writes members with right checksums and a right seal, but for what is changed on purpose.

    header, sums : entries of the header, and of its list of members, in place of the right ones
    unlisted : members that the header does not list
    """
    listed = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in parts.items()
        if name not in unlisted
    }
    head = {"format": "pellucid model", "version": 1, "pellucid": __version__, "members": {**listed, **(sums or {})}}
    written = {"header.json": json.dumps({**head, **(header or {})}).encode(), **parts}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED) as archive:
        archive.comment = b"0" * 64
        for name, data in written.items():
            archive.writestr(name, data)
    path.write_bytes(sealed(target.getvalue()))
    return path


def sealed(data: bytes) -> bytes:
    """A file with the seal that belongs to it: SHA-256 of all but the contents of arrays that are not packed."""
    seal, at = hashlib.sha256(), 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
    for info in infos:
        if ARRAY.fullmatch(info.filename) and info.compress_type == zipfile.ZIP_STORED:
            name, extra = struct.unpack("<HH", data[info.header_offset + 26 : info.header_offset + 30])
            start = info.header_offset + 30 + name + extra
            seal.update(data[at:start])
            at = start + info.compress_size
    seal.update(data[at : len(data) - 64])
    return data[:-64] + seal.hexdigest().encode()


def model_of(path: Path, change: Any) -> dict[str, bytes]:
    """The members of a file, with its model changed by a function of what stands in `model.json`."""
    parts = members(path)
    content = json.loads(parts["model.json"])
    changed = change(content)
    parts["model.json"] = json.dumps(content if changed is None else changed).encode()
    return parts


def with_attribute(path: Path, node: Any, *entries: Any) -> Path:
    """A baseline with one more attribute, `odd_`, that is this node, and with more objects: number 1000 is the first.

    References in what is given count from 1000.
    """
    save(DummyRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), path)

    def change(content: Any) -> None:
        first = len(content["objects"])
        moved = json.loads(re.sub(r'"ref": (1\d{3})', lambda m: f'"ref": {int(m[1]) - 1000 + first}',
                                  json.dumps([node, *entries])))  # fmt: skip
        content["objects"][0]["object"]["state"].append(["odd_", moved[0]])
        content["objects"] += moved[1:]

    return pack(path, model_of(path, change))
