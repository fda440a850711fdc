"""The state of a random generator: where it stands in its stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Generator, Philox, RandomState, SeedSequence

from pellucid.storage._plain import Json, UnreadableError, dtype_named, only, texts, value_of, written

_BITS: dict[str, Any] = {one.__name__: one for one in (MT19937, PCG64, PCG64DXSM, Philox, SFC64)}
# Places in a block of numbers that was drawn ahead. NumPy believes them, and would read beyond the block.
_AHEAD = {"MT19937": (("state", "pos"), 624), "Philox": (("buffer_pos",), 4)}


def random_written(value: RandomState | Generator) -> Json | None:
    """A generator as JSON, or None if it draws its bits in a way that is not NumPy's own."""
    bits = None if isinstance(value, RandomState) else value.bit_generator
    state: Any = value.get_state(legacy=False) if isinstance(value, RandomState) else value.bit_generator.state
    if state["bit_generator"] not in _BITS:
        return None
    entry = {"class": "RandomState" if bits is None else "Generator", "state": _written(dict(state))}
    seed = getattr(bits, "seed_seq", None)
    if isinstance(seed, SeedSequence) and seed.pool_size == 4:  # what `spawn` makes further generators of
        parts = ("entropy", "spawn_key", "n_children_spawned")
        entry["seed"] = _written({name: getattr(seed, name) for name in parts})
    return entry


def random_read(content: Json) -> RandomState | Generator:
    """The generator that was written."""
    if type(content) is not dict or content.get("class") not in ("RandomState", "Generator"):
        raise UnreadableError("it holds a random generator that is not known")
    state = _read(content["state"])
    bits = state["bit_generator"]
    if bits in _AHEAD:
        (*way, last), most = _AHEAD[bits]
        place = state
        for name in way:
            place = place[name]
        if type(place[last]) is not int or not 0 <= place[last] <= most:
            raise UnreadableError("a random generator stands outside of its numbers")
    source = _BITS[bits](SeedSequence(**_read(content["seed"])) if "seed" in content else 0)
    if content["class"] == "RandomState":
        made = RandomState(source)
        made.set_state(state)
        return made
    source.state = state
    return Generator(source)


def _written(value: Any) -> Json:
    if isinstance(value, dict):
        return {"parts": {key: _written(part) for key, part in value.items()}}
    if isinstance(value, np.ndarray):
        return {"numbers": [value.dtype.str, value.tobytes().hex()]}
    if isinstance(value, (list, tuple)):
        return {"row": [_written(part) for part in value]}
    return {"one": written(value.item() if isinstance(value, np.generic) else value)}


def _read(content: Json) -> Any:
    tag, inner = only(content)
    if tag == "parts":
        return {key: _read(part) for key, part in inner.items()}
    if tag == "numbers":
        name, data = texts(inner, 2)
        return np.frombuffer(bytes.fromhex(data), dtype=dtype_named(name)).copy()
    return [_read(part) for part in inner] if tag == "row" else value_of(inner)
