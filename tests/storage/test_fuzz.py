"""Whatever happens to the bytes of a file: it is refused in one sentence, never another model."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pellucid.base.errors import DataError
from pellucid.storage import load, read_card, save

from . import hostile
from .test_refusals import SHAPE

PLACES = 300


def flipped(data: bytes, at: int, chance: random.Random) -> bytes:
    return data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]


def one_bit(data: bytes, at: int, chance: random.Random) -> bytes:
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def deleted(data: bytes, at: int, chance: random.Random) -> bytes:
    return data[:at] + data[at + chance.choice([1, 2, 7, 100]) :]


def inserted(data: bytes, at: int, chance: random.Random) -> bytes:
    return data[:at] + chance.randbytes(chance.choice([1, 2, 7, 100])) + data[at:]


def zeroed(data: bytes, at: int, chance: random.Random) -> bytes:
    n = chance.choice([4, 16, 64])
    return data[:at] + bytes(len(data[at : at + n])) + data[at + n :]


def swapped(data: bytes, at: int, chance: random.Random) -> bytes:
    n, other = 40, chance.randrange(len(data) - 40)
    first, second = sorted((min(at, len(data) - n), other))
    if second - first < n:
        return data[:first] + data[first + 1 :]
    return (
        data[:first]
        + data[second : second + n]
        + data[first + n : second]
        + data[first : first + n]
        + data[second + n :]
    )


CHANGES = (flipped, one_bit, deleted, inserted, zeroed, swapped)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_changed_bytes_are_noticed(
    change: Callable[[bytes, int, random.Random], bytes], compress: bool, tmp_path: Path
) -> None:
    path = tmp_path / "model.pellucid"
    save(hostile.tree(), path, compress=compress)
    data, chance = path.read_bytes(), random.Random(f"{change.__name__} {compress}")
    # The records at the end are where most can go wrong: half of all places.
    ends = [chance.randrange(len(data) - 1500, len(data)) for _ in range(PLACES // 2)]
    places = [chance.randrange(len(data)) for _ in range(PLACES // 2)] + ends
    for at in places:
        changed = change(data, at, chance)
        if changed == data:
            continue
        path.write_bytes(changed)
        with pytest.raises(DataError) as caught:
            load(path)
        assert SHAPE.fullmatch(str(caught.value)), str(caught.value)


def test_every_single_byte_of_a_small_file_is_under_a_checksum(tmp_path: Path) -> None:
    from pellucid.dummy import DummyRegressor

    path = tmp_path / "model.pellucid"
    save(DummyRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), path)
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
        with pytest.raises(DataError, match="must be a model file as save writes it"):
            load(path)


def test_every_third_length_of_a_small_file(tmp_path: Path) -> None:
    from pellucid.dummy import DummyRegressor

    path = tmp_path / "model.pellucid"
    save(DummyRegressor().fit([[1.0], [2.0]], [1.0, 2.0]), path)
    data = path.read_bytes()
    for length in range(0, len(data), 3):
        path.write_bytes(data[:length])
        with pytest.raises(DataError, match="must be a model file as save writes it"):
            load(path)


def test_a_card_of_a_damaged_file(tmp_path: Path) -> None:
    """Of the arrays a card knows nothing; everything else must be right."""
    path = hostile.good(tmp_path / "model.pellucid")
    data = path.read_bytes()
    end = data.index(b"arrays/0.npy", data.index(b"PK\x03\x04", data.index(b"model.json", 2000)))
    chance = random.Random(0)
    for at in chance.sample(range(end), 200):
        path.write_bytes(flipped(data, at, chance))
        with pytest.raises(DataError) as caught:
            read_card(path)
        assert SHAPE.fullmatch(str(caught.value)), str(caught.value)


JUNK = (
    "null", "true", "-1", "1e308", '"x"', "[]", "{}", '{"ref":0}', '{"ref":3}', "99999999999999999999", "[[]]",
    '{"float":"nan"}', '{"tuple":[]}', '{"enum":["pellucid.data.kinds:Kind","TEXT"]}', '""',
)  # fmt: skip


def test_nonsense_under_right_checksums_is_refused_or_held_as_data(tmp_path: Path) -> None:
    """Values of `model.json` are replaced by others, and all checksums made right: no error but the sentence."""
    import json

    path = hostile.good(tmp_path / "model.pellucid")
    parts = hostile.members(path)
    chance = random.Random(1)
    said = []
    for _ in range(400):
        content = json.loads(parts["model.json"])
        holder, key = chance.choice(list(places_in(content)))
        holder[key] = json.loads(chance.choice(JUNK))
        hostile.pack(path, {**parts, "model.json": json.dumps(content).encode()})
        try:
            load(path)
        except DataError as error:
            said.append(str(error))
    assert len(said) > 200
    assert not [words for words in said if not SHAPE.fullmatch(words)]


def places_in(content: object) -> list[tuple[dict | list, str | int]]:  # type: ignore[type-arg]
    """Every place in JSON where a value stands."""
    found: list[tuple[dict | list, str | int]] = []  # type: ignore[type-arg]
    waiting = [content]
    while waiting:
        one = waiting.pop()
        inside = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, part in inside:
            found.append((one, key))  # type: ignore[arg-type]
            waiting.append(part)
    return found
