"""Small tables whose rows depend on each other, or only look so."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl

from pellucid.base.types import Floats

ROWS = 400


def walk(rows: int = ROWS, memory: float = 0.97, seed: int = 0) -> Floats:
    """A series that remembers: each value is most of the last one and a new shock."""
    random = np.random.default_rng(seed)
    values = np.zeros(rows)
    for i in range(1, rows):
        values[i] = memory * values[i - 1] + random.normal()
    return values.round(3)


def noise(rows: int = ROWS, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(size=rows).round(3)


def days(rows: int = ROWS, step: int = 1) -> np.ndarray:
    return np.datetime64("2019-01-01") + step * np.arange(rows)


def shuffled(table: pl.DataFrame) -> pl.DataFrame:
    return table.sample(fraction=1.0, shuffle=True, seed=1)


def timestamps() -> pl.DataFrame:
    return pl.DataFrame({"x": noise(), "when": days(), "y": walk()})


def written_dates() -> pl.DataFrame:
    written = [f"{str(day)[8:]}.{str(day)[5:7]}.{str(day)[:4]}" for day in days()]
    return pl.DataFrame({"x": noise(), "Datum": written, "y": walk()})


def whole_number_dates() -> pl.DataFrame:
    return shuffled(pl.DataFrame({"x": noise(), "d": [int(str(day).replace("-", "")) for day in days()], "y": walk()}))


def spreadsheet_days() -> pl.DataFrame:
    """Days as a spreadsheet counts them, named in a compound word."""
    return shuffled(pl.DataFrame({"Messtag": 43831 + np.arange(ROWS), "x": noise(), "y": walk()}))


def months() -> pl.DataFrame:
    written = [str(np.datetime64("1990-01") + i) for i in range(ROWS)]
    return pl.DataFrame({"x": noise(), "period": written, "y": walk()})


def epochs() -> pl.DataFrame:
    seconds = 1_500_000_000 + np.sort(np.random.default_rng(2).integers(0, 10_000_000, ROWS))
    return pl.DataFrame({"x": noise(), "ts": seconds, "y": walk()})


def parts() -> pl.DataFrame:
    hours = pl.Series(np.datetime64("2020-01-30T00", "us") + np.arange(ROWS) * np.timedelta64(3600_000_000, "us"))
    parts = {"year": hours.dt.year(), "month": hours.dt.month(), "day": hours.dt.day(), "hour": hours.dt.hour()}
    return shuffled(pl.DataFrame({**parts, "x": noise(), "y": walk()}))


def year_and_week() -> pl.DataFrame:
    return pl.DataFrame(
        {"jahr": 2010 + np.arange(ROWS) // 52, "kw": 1 + np.arange(ROWS) % 52, "x": noise(), "y": walk()}
    )


def decimal_years() -> pl.DataFrame:
    return pl.DataFrame({"epoch": (1980 + np.arange(ROWS) / 12).round(4), "x": noise(), "y": walk()})


def months_after_the_point() -> pl.DataFrame:
    """October 1947 is 1947.1, which is read from 1947.10."""
    index = np.arange(ROWS)
    months = (1947 + index // 12 + (index % 12 + 1) / 100).round(2)
    return shuffled(pl.DataFrame({"c1": months, "x": noise(), "y": walk()}))


def quarters_after_the_point() -> pl.DataFrame:
    index = np.arange(ROWS)
    table = pl.DataFrame({"c1": (1847 + index // 4 + (index % 4 + 1) / 10).round(1), "y": walk()})
    return table.with_columns(x=pl.Series(noise()))


def weeks_as_fractions() -> pl.DataFrame:
    return pl.DataFrame({"c1": (1991.1 + np.arange(ROWS) / 52.18).round(4), "x": noise(), "y": walk()})


def years_without_a_name() -> pl.DataFrame:
    """Too few rows for the target alone to show an order."""
    return pl.DataFrame({"c1": 1951 + np.arange(50), "x": walk(50, seed=3), "z": walk(50, seed=4), "y": walk(50)})


def row_order() -> pl.DataFrame:
    return pl.DataFrame({"x": noise(), "z": noise(seed=5), "y": walk()})


def row_order_of_classes() -> pl.DataFrame:
    return pl.DataFrame({"x": noise(), "z": noise(seed=5), "y": np.where(walk() > 0, "wet", "dry")})


def country_and_year() -> pl.DataFrame:
    rows = [
        (f"country {c}", 1990 + i, noise(1, seed=c)[0] + walk(20, 0.99, c)[i]) for c in range(20) for i in range(20)
    ]
    return pl.DataFrame(rows, schema=["country", "year", "y"], orient="row").with_columns(x=pl.Series(noise()))


# ----------------------------------------------------------------------------------- not a process in time


def birth_dates() -> pl.DataFrame:
    born = np.datetime64("1935-01-01") + np.random.default_rng(3).integers(0, 25_000, ROWS)
    return pl.DataFrame({"birth_date": born, "x": noise(), "y": (born.astype(int) / -3000 + noise()).round(2)})


def birth_dates_in_another_language() -> pl.DataFrame:
    return birth_dates().rename({"birth_date": "narozeni"})


def years_of_construction() -> pl.DataFrame:
    built = np.random.default_rng(3).integers(1900, 2020, ROWS)
    return pl.DataFrame({"built": built, "x": noise(), "y": built - 1900 + 5 * noise()})


def sorted_model_years() -> pl.DataFrame:
    model_year = np.sort(np.random.default_rng(3).integers(1970, 1983, ROWS))
    return pl.DataFrame({"model_year": model_year, "x": noise(), "y": (model_year - 1970 + 3 * noise()).round(2)})


def sorted_by_class() -> pl.DataFrame:
    classes = np.repeat(["a", "b", "c", "d"], ROWS // 4)
    return pl.DataFrame({"x": noise(), "z": np.repeat([0.0, 1, 2, 3], ROWS // 4) + noise(seed=5), "y": classes})


def sorted_by_target() -> pl.DataFrame:
    return pl.DataFrame({"x": noise(), "z": noise(seed=5), "y": np.sort(noise(seed=6))})


def sorted_by_feature() -> pl.DataFrame:
    income = np.sort(noise(seed=6))
    return pl.DataFrame({"income": income, "x": noise(), "y": (3 * income + noise()).round(2)})


def samples_numbered_like_years() -> pl.DataFrame:
    return pl.DataFrame({"c1": 1951 + np.arange(80), "x": noise(80), "z": noise(80, seed=5), "y": noise(80, seed=9)})


def lengths_with_decimals() -> pl.DataFrame:
    random = np.random.default_rng(3)
    columns = {"length": random.integers(16_000, 20_000, ROWS) / 10, "width": random.integers(6400, 7600, ROWS) / 4}
    return pl.DataFrame({**columns, "y": noise(seed=7)})


def first_and_last_names() -> pl.DataFrame:
    """Ten examinations of each of a hundred pupils, who are known by two columns together."""
    random = np.random.default_rng(102)
    pupil = random.permutation(np.repeat(np.arange(100), 10))
    columns = {
        "a": np.array(["Anna", "Ben", "Carl", "Dora", "Emil", "Fritz", "Gina", "Hans", "Ida", "Jan"])[pupil % 10],
        "b": np.array(["Meyer", "Koch", "Wolf", "Bauer", "Lang", "Vogel", "Fuchs", "Kurz", "Roth", "Beck"])[
            pupil // 10
        ],
        "born": random.integers(2001, 2008, 100)[pupil],
        "school": random.choice(["North", "Center", "West"], 100)[pupil],
        "taller": random.choice(["no", "yes"], 100)[pupil],
        "hours": random.poisson(5, 1000),
    }
    points = 50 + random.normal(0, 10, 100)[pupil] + 2 * columns["hours"] + random.normal(0, 4, 1000)
    return pl.DataFrame({**columns, "y": points.round()})


def regions_and_products() -> pl.DataFrame:
    """Two crossed categories, each with properties of its own."""
    random = np.random.default_rng(103)
    region, product = random.integers(0, 10, 1000), random.integers(0, 12, 1000)
    columns = {
        "region": np.array(list("ABCDEFGHIJ"))[region],
        "product": np.array(list("KLMNOPQRSTUV"))[product],
        "area": random.integers(100, 900, 10)[region],
        "people": random.integers(1000, 9000, 10)[region],
        "weight": random.integers(1, 90, 12)[product],
        "size": random.integers(1, 40, 12)[product],
    }
    sold = random.normal(0, 10, (10, 12))[region, product] + random.normal(0, 3, 1000)
    return pl.DataFrame({**columns, "y": sold.round(1)})


def guests() -> pl.DataFrame:
    """Bookings of guests, of whom nothing else is known."""
    random = np.random.default_rng(5)
    guest = random.permutation(np.repeat(np.arange(120), 6))
    nights = random.poisson(2, 720) + 1
    ends = ["acker", "ebner", "ingel", "ohm", "ulm", "asch", "erl", "ick", "olf", "ut", "ann", "eng"]
    names = np.array([first + end for first in "BDFGHKLMNP" for end in ends])
    spent = 20 * nights + random.normal(0, 30, 120)[guest] + random.normal(0, 15, 720)
    return pl.DataFrame({"guest": names[guest], "nights": nights, "y": spent.round(1)})


def two_sources() -> pl.DataFrame:
    y = np.random.default_rng(3).random(ROWS) < np.repeat([0.2, 0.8], ROWS // 2)
    return pl.DataFrame({"x": noise(), "z": noise(seed=5), "y": y.astype(int)})


def blocks_of_a_category() -> pl.DataFrame:
    level = np.repeat(noise(8, seed=6), ROWS // 8)
    return pl.DataFrame(
        {"region": np.repeat(list("abcdefgh"), ROWS // 8), "x": noise(), "y": 2 * level + noise(seed=7)}
    )


def sorted_in_turn() -> pl.DataFrame:
    """By five columns of two values each, then by price."""
    random = np.random.default_rng(3)
    flags = {name: random.choice(["no", "yes"], ROWS) for name in ("fresh", "frozen", "large", "own", "regional")}
    table = pl.DataFrame({**flags, "price": random.gamma(4, 20, ROWS).round(2), "x": noise()})
    table = table.sort(*flags, "price")
    return table.with_columns(y=(pl.col("price").log() * 6 + pl.Series(noise(seed=7))).round(3))


def sorted_in_turn_up_to_the_target() -> pl.DataFrame:
    table = sorted_in_turn().drop("price", "x")
    return table.sort(*table.columns, descending=[False] * 5 + [True])


def cross_table() -> pl.DataFrame:
    """How often every combination of two lengths occurs."""
    height, finger = np.repeat(np.arange(20), 22), np.tile(np.arange(22), 20)
    rate = 40 * np.exp(-(((height - 10) / 4) ** 2 + ((finger - 11 - (height - 10) / 2) / 4) ** 2))
    return pl.DataFrame({"height": height, "finger": 9.4 + finger / 10, "y": np.random.default_rng(3).poisson(rate)})


def parts_without_names() -> pl.DataFrame:
    """A number of the day and the hour: sorted by two columns in turn, and a process in time all the same."""
    return pl.DataFrame({"c1": 1 + np.arange(480) // 24, "c2": np.arange(480) % 24, "x": noise(480), "y": walk(480)})


def large_numbers() -> pl.DataFrame:
    random = np.random.default_rng(3)
    columns = {
        "phone": random.integers(2_050_000_000, 2_059_999_999, ROWS),
        "inhabitants": random.integers(10**5, 10**6, ROWS),
    }
    return pl.DataFrame({**columns, "zip": random.integers(10_000, 60_000, ROWS), "y": noise(seed=7)})


# ------------------------------------------------------------------------------------------ rows that belong together


def repeated(n_groups: int, size: int, name: str, form: str = "P-{:04d}") -> pl.DataFrame:
    """Groups with a level of their own, which the target and ``x`` share."""
    random = np.random.default_rng(4)
    group = np.repeat(np.arange(n_groups), size)
    level, rows = random.normal(0, 2, n_groups)[group], len(group)
    columns = {name: [form.format(one) for one in group], "x": (level + random.normal(size=rows)).round(2)}
    return shuffled(pl.DataFrame({**columns, "z": noise(rows), "y": (level + random.normal(0, 0.7, rows)).round(2)}))


def patients() -> pl.DataFrame:
    return repeated(100, 5, "patient")


def patients_with_numbers() -> pl.DataFrame:
    table = repeated(100, 5, "pid", "{}")
    return table.with_columns(pl.col("pid").cast(pl.Int64) * 7 + 1000)


def sites() -> pl.DataFrame:
    return repeated(12, 40, "site", "SITE{:02d}")


def an_unnamed_code() -> pl.DataFrame:
    """Only the values and a property that is constant within each show that this identifies something."""
    table = repeated(90, 5, "column_1", "b{:03d}x").sort("column_1")
    kind = np.repeat(np.random.default_rng(0).choice(["lab", "field"], 90), 5)
    return table.with_columns(column_2=pl.Series(kind))


def patients_and_visits() -> pl.DataFrame:
    table = repeated(150, 3, "patient").sort("patient")
    start = np.repeat(np.random.default_rng(0).integers(0, 900, 150), 3)
    visit = np.datetime64("2018-01-01") + start + np.tile([0, 30, 60], 150)
    return shuffled(table.with_columns(visit=pl.Series(visit)))


def cities() -> pl.DataFrame:
    names = ["Oslo", "Rome", "Bern", "Vienna", "Paris", "Lima", "Kiel", "Graz", "Lyon", "Bari"]
    table = repeated(10, 60, "city", "{}")
    return table.with_columns(city=pl.col("city").cast(pl.Int64).map_elements(lambda i: names[i], pl.String))


def ages() -> pl.DataFrame:
    age = np.random.default_rng(3).integers(18, 90, ROWS)
    return pl.DataFrame({"age": age, "x": noise(), "y": (age / 2 + 3 * noise(seed=7)).round(1)})


def postal_codes() -> pl.DataFrame:
    table = repeated(40, 12, "zip", "{}")
    return table.with_columns(pl.col("zip").cast(pl.Int64) * 1777 + 10001, state=pl.col("zip").cast(pl.Int64) % 3)


def product_categories() -> pl.DataFrame:
    return repeated(30, 15, "category", "cat_{}")


def identifiers_without_resemblance() -> pl.DataFrame:
    customer = np.random.default_rng(3).integers(1, 90, ROWS)
    return pl.DataFrame({"customer_id": customer, "x": noise(), "y": noise(seed=7)})


def numbers_of_works() -> pl.DataFrame:
    """Few works have two rows, and a rare class meets twice in some of them by chance."""
    random = np.random.default_rng(133)
    work = [f"op{k:03d}" for k in random.integers(1, 800, ROWS).tolist()]
    rare = random.random(ROWS) < 0.06
    return pl.DataFrame({"work_id": work, "x": noise(), "y": np.where(rare, "sonatina", "sonata").tolist()})


def repeated_rows() -> pl.DataFrame:
    table = pl.DataFrame({name: noise(seed=seed) for seed, name in enumerate(["a", "b", "c", "y"])})
    return shuffled(pl.concat([table, table.head(100)]))


def country_and_year_shuffled() -> pl.DataFrame:
    return shuffled(country_and_year())


def seasons() -> pl.DataFrame:
    season = np.repeat(np.arange(2008, 2018), ROWS // 10)
    written = [f"{one}/{(one + 1) % 100:02d}" for one in season.tolist()]
    return shuffled(pl.DataFrame({"season": written, "x": noise(), "y": (season / 5 + noise(seed=7)).round(2)}))


def elapsed_time() -> pl.DataFrame:
    elapsed = np.cumsum(np.random.default_rng(3).gamma(2, 0.5, ROWS)).round(3)
    return pl.DataFrame({"elapsed_time": elapsed, "x": noise(), "y": walk()})


def single_letters() -> pl.DataFrame:
    return (
        parts()
        .rename({"year": "y_", "month": "m", "day": "d", "hour": "h"})
        .rename({"y": "z", "y_": "Y"})
        .rename({"z": "y"})
    )


def french_months() -> pl.DataFrame:
    names = ["janvier", "f\u00e9vrier", "mars", "avril", "mai", "juin", "juillet", "ao\u00fbt", "septembre", "octobre",
             "novembre", "d\u00e9cembre"]  # fmt: skip
    month = np.arange(ROWS) // 4
    columns = {"annee": 2010 + month // 12, "mois": [names[one % 12] for one in month]}
    return shuffled(pl.DataFrame({**columns, "x": noise(), "y": np.repeat(walk(ROWS // 4), 4)}))


def quarters() -> pl.DataFrame:
    written = [f"Q{one % 4 + 1} {1990 + one // 4}" for one in np.arange(ROWS) // 4]
    return shuffled(pl.DataFrame({"quarter": written, "x": noise(), "y": np.repeat(walk(ROWS // 4), 4)}))


def named_months() -> pl.DataFrame:
    names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    written = [f"{names[one % 12]}-{2000 + one // 12}" for one in np.arange(ROWS) // 4]
    return shuffled(pl.DataFrame({"period": written, "x": noise(), "y": np.repeat(walk(ROWS // 4), 4)}))


def years_of_two_digits() -> pl.DataFrame:
    month = np.arange(ROWS) // 4
    columns = {"yy": 8 + month // 12, "mm": 1 + month % 12}
    return shuffled(pl.DataFrame({**columns, "x": noise(), "y": np.repeat(walk(ROWS // 4), 4)}))


def production_dates() -> pl.DataFrame:
    """A name that often speaks of the age of a thing; here the rows are a process along it."""
    return pl.DataFrame({"production_date": days(), "x": noise(), "y": walk()})


def order_within_blocks() -> pl.DataFrame:
    """The target follows its course on and on while a category changes now and then."""
    return pl.DataFrame({"operator": np.repeat(list("abcdefgh"), ROWS // 8), "x": noise(), "y": walk()})


def a_relation_that_changes() -> pl.DataFrame:
    """Only the relation of x to the target depends on the date."""
    drift = np.linspace(3, -3, ROWS) * noise() + 0.3 * noise(seed=7)
    return shuffled(pl.DataFrame({"sold_on": np.sort(scattered_days()), "x": noise(), "y": drift.round(3)}))


def scattered_days(most: int = 1500) -> np.ndarray:
    return np.datetime64("2015-01-01") + np.random.default_rng(3).integers(0, most, ROWS)


def independent_visits() -> pl.DataFrame:
    """Dates in no order on which nothing depends; the name says that they are times."""
    return independent_entries().rename({"entry": "visit_date"})


def independent_entries() -> pl.DataFrame:
    """Dates in no order, under a name that does not say what they are, on which nothing depends."""
    x = noise()
    return pl.DataFrame({"entry": scattered_days(), "x": x, "y": (2 * x + noise(seed=7)).round(2)})


def independent_timestamps() -> pl.DataFrame:
    x, seconds = noise(), np.random.default_rng(3).integers(0, 10_000_000, ROWS).astype("timedelta64[s]")
    at = (np.datetime64("2020-01-01") + seconds).astype("datetime64[us]")
    return pl.DataFrame({"at": at, "x": x, "y": (2 * x + noise(seed=7)).round(2)})


def first_registrations() -> pl.DataFrame:
    first = scattered_days()
    return pl.DataFrame({"Erstzulassung": first, "x": noise(), "y": (first.astype(int) / 200 + noise()).round(2)})


def dates_and_a_smoker() -> pl.DataFrame:
    """Each date occurs once, so each level of any other column has one row per date."""
    table = birth_dates_in_another_language()
    return table.with_columns(smoker=pl.Series(np.random.default_rng(0).choice(["yes", "no"], ROWS)))


def sorted_first_flights() -> pl.DataFrame:
    year = np.sort(np.random.default_rng(3).integers(1935, 2015, ROWS))
    return pl.DataFrame({"first_flight": year, "x": noise(), "y": (year - 1935 + 5 * noise(seed=7)).round(2)})


# ------------------------------------------------------------------------------------- identifiers of several tokens


def scans() -> pl.DataFrame:
    """Every row has an identifier of its own; its beginning says whose it is."""
    table = repeated(80, 4, "group", "{:03d}").sort("group").with_columns(n=pl.Series(np.tile([1, 2, 3, 4], 80)))
    written = pl.format("scans/patient_{}/slice_{}.png", "group", "n")
    return shuffled(table.with_columns(file=written).drop("group", "n"))


def engines_until_failure() -> pl.DataFrame:
    """Neither the target nor another column says whose row it is, but the cycles count from 1 on."""
    random = np.random.default_rng(4)
    lives = random.integers(20, 40, 25)
    unit, cycle = np.repeat(np.arange(25), lives), np.concatenate([1 + np.arange(life) for life in lives])
    left = np.repeat(lives, lives) - cycle
    sensor = (600 + 0.8 * cycle + random.normal(0, 2, len(cycle))).round(1)
    return pl.DataFrame({"engine": unit + 1, "cycle": cycle, "sensor": sensor, "y": left})


def subjects_with_the_same_tasks() -> pl.DataFrame:
    """Sensors differ by subject, while every subject has as many rows of each class."""
    random = np.random.default_rng(4)
    subject, task = np.repeat(np.arange(12), 40), np.tile(["walk", "sit", "run", "lie"], 120)
    levels = random.normal(size=(12, 5))[subject] + (task == "run")[:, None] + 0.5 * random.normal(size=(480, 5))
    sensors = {f"s{j}": levels[:, j].round(3) for j in range(5)}
    return shuffled(pl.DataFrame({"subject": subject + 1, **sensors, "y": task}))


def compound_name() -> pl.DataFrame:
    table = repeated(100, 5, "Kundennummer", "{}")
    return table.with_columns(pl.col("Kundennummer").cast(pl.Int64) * 7 + 1000)


def article_numbers() -> pl.DataFrame:
    table = repeated(40, 15, "artikel", "A-{:03d}").sort("artikel")
    return shuffled(table.with_columns(kind=pl.Series(np.repeat(np.random.default_rng(0).choice(list("xyz"), 40), 15))))


def unique_codes() -> pl.DataFrame:
    number = np.random.default_rng(0).permutation(ROWS)
    written = [f"{'ABC'[one % 3]}{one % 9}-{one:04d}" for one in number]
    return pl.DataFrame({"sample": written, "x": noise(), "y": (noise() + noise(seed=7)).round(2)})


def polish_parts() -> pl.DataFrame:
    return parts().rename({"year": "rok", "month": "miesiac", "day": "dzien", "hour": "godzina"})


def nameless_parts() -> pl.DataFrame:
    """Only the values show that three columns are a date."""
    dates = pl.Series(np.datetime64("2018-01-01", "us") + np.arange(ROWS) * np.timedelta64(86_400_000_000, "us"))
    columns = {"c3": dates.dt.day(), "c1": dates.dt.year(), "c2": dates.dt.month()}
    return shuffled(pl.DataFrame({**columns, "c4": noise(), "y": walk()}))


def chinese_parts() -> pl.DataFrame:
    return parts().rename({"year": "\u5e74", "month": "\u6708", "day": "\u65e5", "hour": "\u65f6"})


def fiscal_quarters() -> pl.DataFrame:
    written = [f"FY{one // 4:02d}-Q{one % 4 + 1}" for one in np.arange(ROWS) // 5]
    return shuffled(pl.DataFrame({"fq": written, "x": noise(), "y": np.repeat(walk(ROWS // 5), 5)}))


def shuffled_numbers_of_samples() -> pl.DataFrame:
    return shuffled(pl.DataFrame({"sample_id": 1 + np.arange(ROWS), "x": noise(), "y": walk()}))


def day_and_month_of_features() -> pl.DataFrame:
    """The month and day of billing, and a year of construction: no dates together."""
    random = np.random.default_rng(3)
    columns = {
        "a": random.integers(1, 13, ROWS),
        "b": random.integers(1, 32, ROWS),
        "c": random.integers(1990, 2020, ROWS),
    }
    return pl.DataFrame({**columns, "x": noise(), "y": noise(seed=7)})


def coordinates() -> pl.DataFrame:
    table = repeated(60, 8, "place", "{}").with_columns(pl.col("place").cast(pl.Int64))
    random = np.random.default_rng(0)
    latitude, longitude = random.uniform(45, 50, 60).round(4), random.uniform(5, 12, 60).round(4)
    place = table["place"].to_numpy()
    return table.with_columns(lat=pl.Series(latitude[place]), lon=pl.Series(longitude[place])).drop("place")


def sorted_by_place() -> pl.DataFrame:
    """Districts along a coast, one after the other: the target changes with the place, not with time."""
    random = np.random.default_rng(11)
    way = np.cumsum(random.exponential(0.05, ROWS))
    latitude, longitude = (40 + np.sin(way)).round(2), (-120 + np.cos(way) + random.normal(0, 0.02, ROWS)).round(2)
    return pl.DataFrame(
        {
            "longitude": longitude,
            "latitude": latitude,
            "rooms": random.integers(2, 9, ROWS),
            "y": (10 * np.sin(3 * way) + random.normal(size=ROWS)).round(2),
        }
    )


def a_measure_under_no_name() -> pl.DataFrame:
    """Heights in whole meters repeat, and what grows there changes with them; a rare flag is constant anyway."""
    random = np.random.default_rng(12)
    height = random.integers(1900, 2300, 8 * ROWS)
    kind = np.array(["pine", "fir", "grass"])[
        np.clip((height - 1900 + random.normal(0, 60, len(height))) // 134, 0, 2).astype(int)
    ]
    flags = {f"soil{k}": (random.random(len(height)) < 0.004).astype(int) for k in range(4)}
    cold = (height // 10 + random.integers(0, 3, len(height))).tolist()
    return pl.DataFrame(
        {"height": height, "cold": cold, "wet": -height + random.integers(0, 40, len(height)), **flags, "y": kind}
    )


def values_on_a_grid() -> pl.DataFrame:
    """Latitudes are rounded, so that places far apart share one."""
    random = np.random.default_rng(3)
    lat, lon = random.uniform(45, 46, ROWS).round(2), random.uniform(5, 12, ROWS).round(2)
    return pl.DataFrame({"lat": lat, "lon": lon, "y": (10 * np.sin(9 * lat) + lon + noise(seed=7)).round(2)})


def a_rough_measure() -> pl.DataFrame:
    """A whole number of which each value has its own level of the target, and others vary with it, is no identifier."""
    table = repeated(60, 8, "length", "{}").with_columns(pl.col("length").cast(pl.Int64) + 40)
    columns = {f"z{k}": noise(480, seed=20 + k) for k in range(6)}
    return table.with_columns(**{name: pl.Series(values) for name, values in columns.items()})


def years_with_kinds() -> pl.DataFrame:
    """Sorted by year, and within each year by kind: no process, though rows resemble their neighbors."""
    random = np.random.default_rng(3)
    kind = np.concatenate([np.sort(random.integers(0, 4, ROWS // 8)) for _ in range(8)])
    return pl.DataFrame(
        {
            "batch_size": np.repeat([5, 6, 8, 9, 11, 12, 14, 15], ROWS // 8),
            "x": noise(),
            "y": (3 * kind + noise(seed=7)).round(2),
        }
    )


def times_of_mails() -> pl.DataFrame:
    start = datetime(2019, 3, 5, 14)
    written = [(start + timedelta(minutes=47 * k)).strftime("%a, %d %b %Y %H:%M:%S +0000") for k in range(ROWS)]
    return shuffled(pl.DataFrame({"sent": written, "x": noise(), "y": walk()}))


def few_machines() -> pl.DataFrame:
    return repeated(8, 50, "Maschine", "M{}")


def codes_with_damage() -> pl.DataFrame:
    """A few codes have a letter in front, so that their ends repeat; nothing depends on them."""
    number = np.random.default_rng(3).integers(0, 300, ROWS)
    written = [f"{'XAB'[k % 3] if k % 9 == 0 else 'S'}{one:03d}" for k, one in enumerate(number)]
    return pl.DataFrame({"part_code": written, "x": noise(), "y": noise(seed=7)})


def seconds_without_a_name() -> pl.DataFrame:
    return shuffled(epochs().rename({"ts": "c1"}))


def places(n_places: int, own: float) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Names without digits, each of twelve rows; a level of theirs; and three properties of each."""
    random = np.random.default_rng(7)
    place = random.permutation(np.repeat(np.arange(n_places), 12))
    names = np.array(
        [f"{a}{b}" for a in ("Alt", "Neu", "Ober", "Unter", "Klein") for b in ("dorf", "bach", "feld", "au")]
    )
    numbers = {
        "volume": random.integers(900, 9000, n_places)[place],
        "built": random.integers(1690, 1990, n_places)[place],
        "eaves": random.uniform(3, 18, n_places).round(1)[place],
    }
    level = own * random.normal(0, 1, n_places)[place]
    return np.tile(names, 2)[place].astype(object) + np.where(place < 20, "", "stein"), level, numbers


def organs() -> pl.DataFrame:
    """What is measured in each church; that the rows of one belong together shows in its properties alone."""
    church, level, properties = places(40, 3.0)
    rows = len(church)
    return pl.DataFrame({"Gemeinde": church, **properties, "pipe": noise(rows), "y": (level + noise(rows, 7)).round(2)})


def dishes() -> pl.DataFrame:
    """A category with properties, of which the target depends on the category a little."""
    dish, level, properties = places(40, 0.5)
    rows = len(dish)
    return pl.DataFrame({"dish": dish, **properties, "x": noise(rows), "y": (level + noise(rows, 7)).round(2)})


def plots_without_a_name() -> pl.DataFrame:
    """Each plot has an area, an altitude and a soil, and nothing else tells the plots apart."""
    random = np.random.default_rng(8)
    plot = random.permutation(np.repeat(np.arange(40), 12))
    level = random.normal(0, 3, 40)[plot]
    return pl.DataFrame(
        {
            "area_ha": random.uniform(1, 90, 40).round(1)[plot],
            "altitude": random.integers(10, 900, 40)[plot],
            "soil": random.choice(["sand", "loam", "clay"], 40)[plot],
            "shade": noise(len(plot)),
            "y": (level + noise(len(plot), 7)).round(2),
        }
    )


def goods_with_properties() -> pl.DataFrame:
    """The same with names, of products that recur."""
    table = plots_without_a_name()
    names = {area: f"mug no. {k}" for k, area in enumerate(sorted(set(table["area_ha"])))}
    return table.with_columns(product=pl.col("area_ha").replace_strict(names, return_dtype=pl.String))


def product_lines() -> pl.DataFrame:
    """A few codes of products, which decide about the target and nothing else."""
    random = np.random.default_rng(9)
    line = random.integers(0, 12, ROWS)
    return pl.DataFrame(
        {"product_line": [f"PL-{k:02d}" for k in line], "x": noise(), "y": (line + noise(seed=5)).round(2)}
    )


def codes_with_an_altitude() -> pl.DataFrame:
    """Codes under no telling name, of which each has an altitude of its own."""
    random = np.random.default_rng(11)
    place = random.permutation(np.repeat(np.arange(40), 12))
    level = random.normal(0, 1, 40)[place]
    return pl.DataFrame(
        {
            "loc": [f"{k // 20}-{k:03d}" for k in place],
            "altitude": random.integers(100, 2500, 40)[place],
            "x": noise(len(place)),
            "y": (level + noise(len(place), 7)).round(2),
        }
    )


def plots_numbered_at_each_site() -> pl.DataFrame:
    """Each of eight sites has plots 1 to 36, in the same four blocks: plot 1 is another one at each site."""
    random = np.random.default_rng(6)
    site, plot = np.repeat(np.arange(8), 36), np.tile(np.arange(36), 8)
    treatment = np.concatenate([random.permutation(np.tile(np.arange(12), 3)) for _ in range(8)])
    y = (4 * random.normal(size=8)[site] + 0.2 * treatment + random.normal(size=288)).round(2)
    names = [f"SV{'ABCDEFGH'[one]}" for one in site]
    return pl.DataFrame({"site": names, "block": plot // 9 + 1, "plot": plot + 1, "treatment": treatment, "y": y})


def durations_of_runs() -> pl.DataFrame:
    """How long a run took stands beside it in minutes, which are the target."""
    seconds = np.random.default_rng(7).integers(1200, 1500, ROWS)
    written = [f"{one // 60}:{one % 60:02d}:00" for one in seconds]
    short = (seconds < 1350).astype(int)
    return pl.DataFrame({"lasted": written, "short": short, "x": noise(), "y": (seconds / 60).round(3)})


def days_without_a_year() -> pl.DataFrame:
    """Polls of the same day have the same two properties of the day."""
    random = np.random.default_rng(8)
    day = random.integers(0, 60, ROWS)
    level = random.normal(size=60)
    texts = [f"{9 + one // 30}/{1 + one % 30}" for one in day]
    flags = {"debate": (day > 25).astype(int), "crisis": (day > 40).astype(int)}
    return pl.DataFrame({"mid_date": texts, **flags, "x": noise(), "y": (level[day] + noise(seed=7)).round(1)})


def boys_numbered_by_height() -> pl.DataFrame:
    """Neighboring numbers have similar targets, but each boy was measured at occasions 1 to 9."""
    random = np.random.default_rng(9)
    boy, occasion = np.repeat(np.arange(26), 9), np.tile(np.arange(9), 26)
    height = 130 + 0.8 * boy + random.normal(0, 3, 26)[boy] + 1.5 * occasion + random.normal(0, 0.5, 234)
    age = (occasion / 4 - 1 + random.normal(0, 0.05, 234)).round(3)
    return pl.DataFrame({"subject": boy + 1, "age": age, "occasion": occasion + 1, "y": height.round(1)})


def few_rats() -> pl.DataFrame:
    return repeated(16, 11, "rat", "{}").with_columns(pl.col("rat").cast(pl.Int64) * 7 % 16 + 1)


def repeated_plots() -> pl.DataFrame:
    """Plots 1 to 10 at each of 12 sites, of which every one was measured at four visits."""
    random = np.random.default_rng(0)
    plot, visit = np.repeat(np.arange(120), 4), np.tile(np.arange(4), 120)
    y = random.normal(size=120)[plot] + random.normal(0, 0.5, 480)
    site = [f"S{k // 10}" for k in plot.tolist()]
    return shuffled(pl.DataFrame({"site": site, "plot": plot % 10 + 1, "visit": visit, "x": noise(480), "y": y}))


def persons_by_name_and_birth() -> pl.DataFrame:
    """Several persons have the same name; hardly two are born on the same day."""
    random = np.random.default_rng(1)
    names = random.choice([f"{a}na {b}ow" for a in "ABCDEFGHIJ" for b in "ABCDEF"], 150)
    born = (np.datetime64("1940-01-01") + random.integers(0, 20_000, 150)).astype("datetime64[us]")
    person = np.repeat(np.arange(150), 4)
    y = random.normal(size=150)[person] + random.normal(0, 0.6, 600)
    sex = random.choice(["f", "m"], 150)[person]
    return shuffled(pl.DataFrame({"name": names[person], "birth_date": born[person], "sex": sex, "y": y}))


def schools_of_districts() -> pl.DataFrame:
    """The schools of each district are numbered from 1 on; pupils of one school share its size and its distance."""
    random = np.random.default_rng(2)
    numbers = [np.arange(1, 1 + size) for size in random.integers(4, 15, 20)]
    district = np.repeat(np.arange(20), [len(one) for one in numbers])
    number = np.concatenate(numbers)
    school = np.repeat(np.arange(len(number)), 5)
    size, distance = random.integers(50, 900, len(number)), random.uniform(0, 9, len(number)).round(2)
    y = random.normal(size=len(number))[school] + random.normal(0, 0.5, len(school))
    columns = {"district": [f"D{k}" for k in district[school].tolist()], "school_no": number[school]}
    return shuffled(pl.DataFrame({**columns, "size": size[school], "distance": distance[school], "y": y}))


def survey_by_job_and_region() -> pl.DataFrame:
    random = np.random.default_rng(6)
    job, region = random.integers(0, 12, 1500), random.integers(0, 9, 1500)
    y = 2.0 * (job > 5) * (region > 4) + random.normal(size=1500)
    columns = {"job": [f"job{chr(97 + k)}" for k in job.tolist()], "region": [f"r{chr(97 + k)}" for k in region]}
    return pl.DataFrame(
        {**columns, "children": random.integers(0, 5, 1500), "age": random.integers(18, 80, 1500), "y": y}
    )


def crossed_design() -> pl.DataFrame:
    """Each variety gets each dose, five times; the two interact."""
    cell, random = np.repeat(np.arange(48), 5), np.random.default_rng(7)
    y = random.normal(size=48)[cell] + random.normal(0, 0.5, 240)
    variety = [f"v{chr(97 + k // 6)}" for k in cell.tolist()]
    return shuffled(pl.DataFrame({"variety": variety, "dose": cell % 6 + 1, "rep": np.tile(np.arange(5), 48), "y": y}))


def cells_with_a_rate() -> pl.DataFrame:
    """Persons by region and sector, with the rate of unemployment there."""
    random = np.random.default_rng(9)
    cell = random.integers(0, 80, 2000)
    rate, vacancies = random.normal(size=80).round(2)[cell], random.integers(0, 50, 80)[cell]
    columns = {
        "region": [f"r{chr(97 + k // 8)}" for k in cell.tolist()],
        "sector": [f"s{chr(97 + k % 8)}" for k in cell],
    }
    y = 0.8 * rate + random.normal(size=2000)
    return pl.DataFrame({**columns, "unemployment": rate, "vacancies": vacancies, "x": noise(2000), "y": y})


def years_at_school_and_children() -> pl.DataFrame:
    """A count of years that is called like a thing, and another count: visits by both of them."""
    random = np.random.default_rng(11)
    children, school = random.integers(0, 9, 1000), random.integers(0, 17, 1000)
    y = random.normal(size=(9, 17))[children, school] + random.normal(0, 1, 1000)
    return pl.DataFrame({"children": children, "school": school, "age": random.integers(18, 60, 1000), "y": y})


def hits_of_teams() -> pl.DataFrame:
    """Players of a team who have as many hits, and as many runs as hits allow."""
    random = np.random.default_rng(12)
    hits, team = random.integers(0, 40, 900), random.integers(0, 30, 900)
    runs, rate = (7 * hits + 3 * team) % 50, (hits / (20 + (hits * team) % 13)).round(3)
    y = rate + random.normal(0, 0.3, 900)
    return pl.DataFrame(
        {"team": [f"T{chr(97 + k)}" for k in team.tolist()], "H": hits, "R": runs, "rate": rate, "y": y}
    )
