"""The file itself: a zip archive of JSON and ``.npy`` members, every byte of which is under a checksum.

``header.json`` names the format, its version, the library's version, and size and SHA-256 of every other member. What
is not the content of an array (the archive's own records and the JSON members) is under one more SHA-256, the *seal*,
which stands at the very end, as the archive's comment.

The archive is read by this module, from the list that `zipfile` makes of its members: nothing is unpacked to a disk,
and no size is believed before it was held against the bytes that are there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from pellucid import __version__
from pellucid.base.errors import DataError, count, format_message, join_some, short_repr
from pellucid.base.types import Array
from pellucid.storage._source import DAMAGED, Source

FORMAT = "pellucid model"
VERSION = 1
HEADER, CARD, MODEL = "header.json", "card.json", "model.json"
MOST_BYTES = 2**32
_ARRAY = re.compile(r"arrays/(?:0|[1-9][0-9]{0,9})\.npy")
_NEVER_UNZIPPED = re.compile(r"[/\\]|[A-Za-z]:|.*(^|[/\\])\.\.([/\\]|$)", re.DOTALL)  # absolute, or up and out
_SEAL = 64  # letters of it
_DAY = (1980, 1, 1, 0, 0, 0)  # the first that an archive can name: files of one model are the same bytes
_RATIO = 1032  # deflate packs no better than that
_CUT = "it is cut short or damaged"


def npy_header(dtype: np.dtype[Any], order: str, shape: Sequence[int]) -> bytes:
    """The first bytes of an ``.npy`` file (version 1.0), up to the values."""
    sides = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    text = f"{{'descr': {dtype.str!r}, 'fortran_order': {order == 'F'}, 'shape': {sides}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode("latin1")


def as_bytes(array: Array) -> Array:
    """The memory of a contiguous array."""
    return array.ravel(order="K").view(np.uint8) if array.size else np.empty(0, dtype=np.uint8)


def as_json(content: Any) -> bytes:
    """JSON, the same bytes for the same content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


# ------------------------------------------------------------------------------------------------------------ writing


@dataclass(frozen=True)
class Member:
    """What will stand in the archive: a name, and the pieces that follow each other."""

    name: str
    pieces: tuple[Any, ...]

    @property
    def size(self) -> int:
        """Bytes of all pieces."""
        return sum(len(piece) for piece in self.pieces)

    @property
    def digest(self) -> str:
        """SHA-256 of all pieces."""
        return _digest(self.pieces)


def _digest(pieces: Sequence[Any]) -> str:
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def write_archive(path: Path, card: bytes, model: bytes, arrays: Sequence[Array], compress: bool) -> None:
    """Writes a whole file beside the path and then puts it there: a reader finds the old file or the new one."""
    members = [Member(CARD, (card,)), Member(MODEL, (model,))]
    for number, array in enumerate(arrays):
        head = npy_header(array.dtype, order_of(array), array.shape)
        members.append(Member(f"arrays/{number}.npy", (head, as_bytes(array))))
    sizes = {one.name: {"bytes": one.size, "sha256": one.digest} for one in members}
    header = {"format": FORMAT, "version": VERSION, "pellucid": __version__, "members": sizes}
    with _put_in_place(path) as file:
        _write_members(file, [Member(HEADER, (as_json(header),)), *members], compress)


def order_of(array: Array) -> str:
    """How a contiguous array lies in memory."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


@contextmanager
def _put_in_place(path: Path) -> Iterator[IO[bytes]]:
    place = Path(os.path.realpath(path))  # a link stays one
    beside = place.with_name(f".{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with open(beside, "x+b") as file:
            yield file
        os.replace(beside, place)
    except OSError as error:
        raise DataError(
            format_message("save", "the file must be writable", actual=f"{path.name!r}: {error.strerror}")
        ) from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)


def _write_members(file: IO[bytes], members: Sequence[Member], compress: bool) -> None:
    seal = hashlib.sha256()
    with ZipFile(file, "w") as archive:
        archive.comment = b"0" * _SEAL
        for member in members:
            info = ZipInfo(member.name, _DAY)
            info.compress_type = ZIP_DEFLATED if compress else ZIP_STORED
            info.create_system, info.external_attr, info.file_size = 3, 0o644 << 16, member.size
            with archive.open(info, "w") as target:
                for piece in member.pieces:
                    target.write(piece)
    file.seek(0)
    with ZipFile(file) as archive:
        for piece in _outside(file, archive.infolist(), file.seek(0, os.SEEK_END) - _SEAL):
            seal.update(piece)
    file.seek(-_SEAL, os.SEEK_END)
    file.write(seal.hexdigest().encode())


def _outside(file: IO[bytes], infos: Sequence[ZipInfo], end: int) -> Iterator[bytes]:
    """The bytes of a file that are not the content of an array, up to an end. ValueError where contents overlap.

    An array that is packed counts as it stands: other packed bytes may be unpacked to the same content.
    """
    at = 0
    stored = [info for info in infos if _ARRAY.fullmatch(info.orig_filename) and info.compress_type == ZIP_STORED]
    for info in sorted(stored, key=lambda one: one.header_offset):
        start = _content_of(file, info)
        if info.header_offset < at:
            raise ValueError
        yield from _pieces(file, at, start)
        at = start + info.compress_size
    if at > end:
        raise ValueError
    yield from _pieces(file, at, end)


def _content_of(file: IO[bytes], info: ZipInfo) -> int:
    """Where the content of a member begins. ValueError if no member stands where the list says."""
    file.seek(info.header_offset)
    head = file.read(30)
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise ValueError
    name, extra = struct.unpack("<HH", head[26:30])
    return info.header_offset + 30 + int(name) + int(extra)


def _pieces(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end:
        piece = file.read(min(end - start, 2**20))
        if not piece:
            raise ValueError
        yield piece
        start += len(piece)


# ------------------------------------------------------------------------------------------------------------ reading


class Archive:
    """An open model file whose records, names and sizes have been checked."""

    def __init__(self, source: Source, file: IO[bytes], most_bytes: int) -> None:
        self.source = source
        self._file = file
        self._most = most_bytes
        self._infos = self._listed()
        self.header = self._read_header()
        self._check_seal()
        self._sums: dict[str, Any] = self._checked_members()

    @property
    def written_by(self) -> str:
        """The version of the library that wrote the file."""
        return str(self.header["pellucid"])

    @property
    def array_names(self) -> list[str]:
        """The arrays of the file."""
        return [name for name in self._sums if _ARRAY.fullmatch(name)]

    def text(self, name: str) -> Any:
        """A JSON member, read."""
        data = self._content(self._infos[name])
        if len(data) != self._sums[name]["bytes"] or _digest([data]) != self._sums[name]["sha256"]:
            raise self.source.refuse(f"the checksum of {name} is another one: {_CUT}", DAMAGED)
        return self._parsed(name, data)

    def array(self, number: int, dtype: np.dtype[Any], shape: tuple[int, ...], order: str) -> Array:
        """An array that has the dtype, shape and order that the model says."""
        name = f"arrays/{number}.npy"
        info = self._infos.get(name)
        if info is None:
            raise self.source.refuse(f"the model refers to {name}, which is not there")
        head = npy_header(dtype, order, shape)
        size = dtype.itemsize
        for side in shape:
            size *= side
        if info.file_size != len(head) + size:
            actual = (
                f"{name} has {count(info.file_size, 'byte')} and {dtype} of shape {shape} takes {len(head) + size:,}"
            )
            raise self.source.refuse(actual)
        try:
            array = np.empty(shape, dtype=dtype, order="F" if order == "F" else "C")
        except (ValueError, MemoryError):
            raise self.source.refuse(f"{name} of shape {shape} does not fit into memory") from None
        self._fill(info, head, as_bytes(array))
        return array

    # --------------------------------------------------------------------------------------------------------- checks

    def _listed(self) -> dict[str, ZipInfo]:
        """The members by name, as the archive lists them."""
        start = self._file.read(4)
        if start != b"PK\x03\x04":
            actual = "it is empty" if not start else "it is no zip archive"
            hint = "joblib and pickle files are opened by their own libraries" if start[:1] == b"\x80" else ""
            raise self.source.refuse(actual, hint)
        try:
            with ZipFile(self._file) as archive:
                infos, self._comment = archive.infolist(), archive.comment
        except (BadZipFile, NotImplementedError, OSError, ValueError, EOFError, OverflowError, struct.error):
            raise self.source.refuse(_CUT, DAMAGED) from None
        members = {info.orig_filename: info for info in infos}
        if HEADER not in members:
            raise self.source.refuse(
                f"it is another zip archive, which holds {join_some(map(short_repr, sorted(members)), 3)}"
            )
        if len(members) < len(infos):
            raise self.source.refuse("a member stands in it twice")
        end = self._file.seek(0, os.SEEK_END)
        if not all(0 <= info.header_offset <= end - info.compress_size for info in infos):
            raise self.source.refuse(_CUT, DAMAGED)
        return members

    def _read_header(self) -> dict[str, Any]:
        header = self._parsed(HEADER, self._content(self._infos[HEADER]))
        if type(header) is not dict or header.get("format") != FORMAT:
            raise self.source.refuse("it is another zip archive: its header does not say 'pellucid model'")
        version, writer = header.get("version"), header.get("pellucid")
        if type(version) is not int or version < 1 or type(writer) is not str:
            raise self.source.refuse("its header does not say which version wrote it")
        if version > VERSION:
            actual = f"pellucid {writer} wrote it in version {version} of the format, and this one reads {VERSION}"
            raise self.source.refuse(actual, f"install pellucid {writer} or later")
        return header

    def _check_seal(self) -> None:
        end = self._file.seek(0, os.SEEK_END) - _SEAL
        seal = hashlib.sha256()
        try:
            for piece in _outside(self._file, list(self._infos.values()), end):
                seal.update(piece)
            self._file.seek(end)
            whole = self._file.read() == self._comment == seal.hexdigest().encode()
        except ValueError:
            whole = False
        if not whole:
            raise self.source.refuse(f"its seal is broken: {_CUT}", DAMAGED)

    def _checked_members(self) -> dict[str, Any]:
        """What the header says of each member, which must be those of the archive."""
        odd = sorted(name for name in self._infos if _NEVER_UNZIPPED.match(name))
        if odd:
            raise self.source.refuse(f"a member is called {short_repr(odd[0])}, which leads out of the archive")
        sums = self.header.get("members")
        if type(sums) is not dict or not all(_is_sum(one) for one in sums.values()):
            raise self.source.refuse("its header does not list the members with their sizes and checksums")
        named = {CARD, MODEL, *(name for name in sums if _ARRAY.fullmatch(name))}
        more = sorted((set(self._infos) - {HEADER} - set(sums)) | (set(sums) - named))
        if more:
            raise self.source.refuse(f"it has {short_repr(more[0])}, which is no part of a model file")
        gone = sorted(named - (set(self._infos) & set(sums)))
        if gone:
            raise self.source.refuse(f"{join_some(gone, 3)} {'is' if len(gone) == 1 else 'are'} missing")
        other = next((name for name, one in sums.items() if one["bytes"] != self._infos[name].file_size), None)
        if other is not None:
            raise self.source.refuse(f"the size of {other} is another one than the header says")
        return sums

    def check_total(self) -> None:
        """Refuses a file whose content takes more memory than was allowed."""
        total = sum(info.file_size for info in self._infos.values())
        if total > self._most:
            actual = f"its content takes {count(total, 'byte')} and max_bytes is {self._most:,}"
            raise self.source.refuse(actual, f"max_bytes={total} if you want so much in memory")

    # -------------------------------------------------------------------------------------------------------- content

    def _content(self, info: ZipInfo) -> bytes:
        """The bytes of a member, unpacked; never more than it says it has, nor more than deflate could have packed."""
        packed = info.compress_type == ZIP_DEFLATED
        if info.flag_bits & 1 or not (packed or info.compress_type == ZIP_STORED):
            raise self.source.refuse(f"{info.orig_filename} is packed in a way that save does not use")
        if not packed and info.file_size != info.compress_size:
            raise self.source.refuse(f"the sizes of {info.orig_filename} contradict each other")
        if info.file_size > self._most:
            actual = f"{info.orig_filename} takes {count(info.file_size, 'byte')} and max_bytes is {self._most:,}"
            raise self.source.refuse(actual)
        if packed and info.file_size > _RATIO * info.compress_size:
            actual = f"{info.orig_filename} would grow from {info.compress_size:,} to {info.file_size:,} bytes"
            raise self.source.refuse(f"{actual}, more than packing allows")
        data = self._raw(info)
        if packed:
            data = self._unpacked(info, data)
        if zlib.crc32(data) != info.CRC:
            raise self.source.refuse(f"the checksum of {info.orig_filename} is another one: {_CUT}", DAMAGED)
        return data

    def _raw(self, info: ZipInfo) -> bytes:
        try:
            self._file.seek(_content_of(self._file, info))
        except ValueError:
            raise self.source.refuse(_CUT, DAMAGED) from None
        data = self._file.read(info.compress_size)
        if len(data) != info.compress_size:
            raise self.source.refuse(_CUT, DAMAGED)
        return data

    def _unpacked(self, info: ZipInfo, data: bytes) -> bytes:
        worker = zlib.decompressobj(-15)
        try:
            found = worker.decompress(data, max(info.file_size, 1))
        except zlib.error:
            found = b""
        if len(found) != info.file_size or worker.unconsumed_tail or worker.unused_data:
            raise self.source.refuse(f"{info.orig_filename} cannot be unpacked: {_CUT}", DAMAGED)
        return found

    def _fill(self, info: ZipInfo, head: bytes, values: Array) -> None:
        """Reads an array where it is to lie: no second copy of what is stored as it is."""
        name = info.orig_filename
        if info.compress_type == ZIP_STORED and not info.flag_bits & 1 and info.file_size == info.compress_size:
            self._file.seek(_content_of(self._file, info))
            first = self._file.read(len(head))
            whole = self._file.readinto(values.data) == len(values)  # type: ignore[attr-defined]
        else:
            data = self._content(info)
            first, whole = data[: len(head)], True
            values[:] = np.frombuffer(data, dtype=np.uint8, offset=len(head))
        if first != head:
            raise self.source.refuse(f"{name} is another array than the model says")
        if not whole or _digest([head, values]) != self._sums[name]["sha256"]:
            raise self.source.refuse(f"the checksum of {name} is another one: {_CUT}", DAMAGED)

    def _parsed(self, name: str, data: bytes) -> Any:
        try:
            return json.loads(data.decode(), parse_constant=_refuse_constant)
        except RecursionError:
            raise self.source.refuse(f"{name} is nested too deeply") from None
        except ValueError:
            raise self.source.refuse(f"{name} cannot be read as JSON") from None


def _is_sum(one: Any) -> bool:
    return type(one) is dict and type(one.get("bytes")) is int and type(one.get("sha256")) is str


def _refuse_constant(word: str) -> None:
    raise ValueError(word)


def _readable(source: Source) -> IO[bytes]:
    try:
        return open(source.path, "rb")
    except OSError as error:
        actual = f"{source.path.name!r}: {error.strerror}"
        raise DataError(format_message(source.who, "the file must be readable", actual=actual)) from error


@contextmanager
def opened(source: Source, most_bytes: int) -> Iterator[Archive]:
    """A model file, checked, and open while its arrays are read."""
    with _readable(source) as file:
        yield Archive(source, file, most_bytes)
