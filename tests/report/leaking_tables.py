"""Small tables with columns that would not be known when a prediction is wanted, and some that only look so."""

from __future__ import annotations

import numpy as np
import polars as pl

from .structured_tables import noise, walk

ROWS = 600
X, Z = noise(ROWS), noise(ROWS, seed=2)


def table(y: object, **columns: object) -> pl.DataFrame:
    return pl.DataFrame({"x": X, "z": Z, **columns, "y": y})


def numbers(seed: int = 3, mean: float = 20.0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(3, mean / 3, ROWS).round(1) + 1


Y = (20 + 5 * X + noise(ROWS, seed=9) * 4).round(2)
EVENT = X + noise(ROWS, seed=9) > 0.5


def another_scale() -> pl.DataFrame:
    return table(Y, other=(1.8 * Y + 32).round(2))


def logarithm() -> pl.DataFrame:
    price = np.exp(Y / 10).round(2)
    return table(price, other=np.log(price).round(4))


def noisy_copy() -> pl.DataFrame:
    return table(Y, other=(Y + 0.3 * noise(ROWS, seed=10)).round(2))


def total() -> pl.DataFrame:
    first, second = (np.random.default_rng(seed).poisson(20, ROWS) for seed in (4, 5))
    return table(first + second, casual=first, registered=second)


def total_of_three() -> pl.DataFrame:
    parts = [numbers(seed) for seed in (4, 5, 6)]
    return table(sum(parts).round(1), rent=parts[0], food=parts[1], other=parts[2])


def price_times_quantity() -> pl.DataFrame:
    price, quantity = numbers(4), np.random.default_rng(5).integers(1, 20, ROWS)
    return table((price * quantity).round(2), price=price, quantity=quantity)


def body_mass_index() -> pl.DataFrame:
    height, weight = (1.7 + 0.1 * noise(ROWS, seed=4)).round(2), (75 + 12 * noise(ROWS, seed=5)).round(1)
    return table((weight / height**2).round(1), height=height, weight=weight)


def filled_in_afterwards() -> pl.DataFrame:
    number = np.random.default_rng(6).integers(1, 500, ROWS)
    ticket = [float(one) if event and one > 30 else None for event, one in zip(EVENT, number, strict=True)]
    return table(EVENT.astype(int), ticket=ticket)


def amount_of_the_event() -> pl.DataFrame:
    return table(np.where(EVENT, "yes", "no"), amount=np.where(EVENT, numbers(), 0.0))


def code_of_the_class() -> pl.DataFrame:
    return table(np.where(EVENT, "approved", "denied"), code=np.where(EVENT, "A7", "D2"))


def mean_of_a_level() -> pl.DataFrame:
    city = np.random.default_rng(6).integers(0, 20, ROWS)
    means = np.array([Y[city == one].mean() for one in range(20)])
    return table(Y, city=[f"city {one}" for one in city], encoded=means[city].round(4))


def time_of_the_end() -> pl.DataFrame:
    start = np.datetime64("2020-01-01T08:00", "us") + np.arange(ROWS) * np.timedelta64(7 * 3600, "s")
    minutes = np.random.default_rng(6).integers(10, 5000, ROWS)
    end = start + minutes.astype("timedelta64[m]")
    return table((minutes / 60).round(2), start=start, finish=end)


def time_of_the_end_since_1970() -> pl.DataFrame:
    """Milliseconds as whole numbers; the class says whether it took long."""
    random = np.random.default_rng(6)
    start = np.sort(random.integers(1_600_000_000, 1_650_000_000, ROWS)) * 1000
    hours = random.exponential(40, ROWS)
    end = start + (hours * 3_600_000).astype(int)
    return table(np.where(hours > 60, "late", "ok"), geoeffnet=start, abgeschlossen=end)


def arrival_by_the_clock() -> pl.DataFrame:
    """Times of day as whole numbers; delays over midnight among them."""
    random = np.random.default_rng(6)
    planned, delay = random.integers(0, 1440, ROWS), random.integers(-20, 200, ROWS)
    actual = (planned + delay) % 1440
    clock = [time // 60 * 100 + time % 60 for time in (planned, actual)]
    return table(delay, sched_arr=clock[0], arr_time=clock[1])


# --------------------------------------------------------------------------------------------------------- no leaks


def strong_predictor() -> pl.DataFrame:
    return table((10 * X + noise(ROWS, seed=9)).round(2))


def easy_classes() -> pl.DataFrame:
    """Two columns separate the classes perfectly: that is an easy table."""
    kind = np.tile([0, 1], ROWS // 2)
    return table(np.where(kind, "a", "b"), length=(1.4 + 3 * kind + 0.2 * X).round(2), width=(kind + 0.1 * Z).round(2))


def yesterday() -> pl.DataFrame:
    price = 100 + walk(ROWS + 1, 1.0)
    day = np.datetime64("2019-01-01") + np.arange(ROWS)
    return table(price[1:].round(2), day=day, yesterday=price[:-1].round(2))


def formula_of_many() -> pl.DataFrame:
    others = {f"v{seed}": noise(ROWS, seed=seed) for seed in range(20, 24)}
    return table((2 * X + 3 * Z**2 + others["v20"] * others["v21"] + others["v22"] - others["v23"]).round(3), **others)


def missing_more_often() -> pl.DataFrame:
    random = np.random.default_rng(6).random(ROWS)
    return table(
        EVENT.astype(int), income=[None if r < 0.1 + 0.2 * e else 20.0 for r, e in zip(random, EVENT, strict=True)]
    )
