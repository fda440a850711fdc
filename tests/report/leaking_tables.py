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


def logarithm_of_few_rows() -> pl.DataFrame:
    """Few rows, with a total and its share that give the target as well."""
    amounts = np.exp(Y / 4).round(2)[:120]
    totals = (amounts * (3 + np.random.default_rng(5).random(120))).round(2)
    columns = {"total": totals, "share": amounts / totals, "log": np.log(amounts)}
    return pl.DataFrame({"x": X[:120], "z": Z[:120], **columns, "y": amounts})


def noisy_copy() -> pl.DataFrame:
    return table(Y, other=(Y + 0.3 * noise(ROWS, seed=10)).round(2))


def total() -> pl.DataFrame:
    first, second = (np.random.default_rng(seed).poisson(20, ROWS) for seed in (4, 5))
    return table(first + second, casual=first, registered=second)


def total_of_three() -> pl.DataFrame:
    parts = [numbers(seed) for seed in (4, 5, 6)]
    return table(sum(parts).round(1), rent=parts[0], food=parts[1], other=parts[2])


def total_with_surcharges() -> pl.DataFrame:
    """The total has one of a few amounts that no column holds, which depends on the others."""
    fare, tip = numbers(4), numbers(5) * (noise(ROWS, seed=6) > 0)
    surcharge = np.array([0.3, 0.8, 3.3, 4.3])[np.random.default_rng(7).integers(0, 3, ROWS) + (fare > 20)]
    return table((fare + tip + surcharge).round(2), fare=fare, tip=tip)


def rounded_sum_of_influences() -> pl.DataFrame:
    """What is left of a sum with noise takes a few whole numbers, but all of them."""
    first, second = (np.random.default_rng(seed).poisson(40, ROWS) for seed in (4, 5))
    return table(first + second + np.random.default_rng(6).binomial(6, 0.5, ROWS), casual=first, registered=second)


def price_times_quantity() -> pl.DataFrame:
    price, quantity = numbers(4), np.random.default_rng(5).integers(1, 20, ROWS)
    return table((price * quantity).round(2), price=price, quantity=quantity)


def body_mass_index() -> pl.DataFrame:
    height, weight = (1.7 + 0.1 * noise(ROWS, seed=4)).round(2), (75 + 12 * noise(ROWS, seed=5)).round(1)
    return table((weight / height**2).round(1), height=height, weight=weight)


def filled_in_afterward() -> pl.DataFrame:
    number = np.random.default_rng(6).integers(1, 500, ROWS)
    ticket = [float(one) if event and one > 30 else None for event, one in zip(EVENT, number, strict=True)]
    return table(EVENT.astype(int), ticket=ticket)


def amount_of_the_event() -> pl.DataFrame:
    return table(np.where(EVENT, "yes", "no"), amount=np.where(EVENT, numbers(), 0.0))


def bill_of_the_event() -> pl.DataFrame:
    """Of some damages no bill was sent."""
    was_sent = EVENT & (np.random.default_rng(5).random(ROWS) < 0.85)
    return table(np.where(EVENT, "yes", "no"), bill=np.where(was_sent, numbers(), 0.0))


def price_without_tax() -> pl.DataFrame:
    """Of two rates."""
    rate = np.random.default_rng(8).choice([1.07, 1.19], ROWS)
    net = (100 * np.exp(Y / 20)).round(2)
    return table((net * rate).round(2), net=net, log=np.log(net))


def share_of_the_amount() -> pl.DataFrame:
    """A second column tells as much as the amount, by which neither is without a rival."""
    income = np.random.default_rng(7).uniform(20, 40, ROWS).round(1)
    amount = np.where(EVENT, numbers(), 0.0)
    return table(np.where(EVENT, "yes", "no"), income=income, amount=amount, share=(amount + 0.1) / income)


def code_of_the_class() -> pl.DataFrame:
    return table(np.where(EVENT, "approved", "denied"), code=np.where(EVENT, "A7", "D2"))


def mean_of_a_level() -> pl.DataFrame:
    city = np.random.default_rng(6).integers(0, 20, ROWS)
    means = np.array([Y[city == one].mean() for one in range(20)])
    return table(Y, city=[f"city {one}" for one in city], encoded=means[city].round(4))


def total_of_a_level() -> pl.DataFrame:
    store = np.random.default_rng(6).integers(0, 30, ROWS)
    thefts = np.random.default_rng(7).poisson(np.random.default_rng(8).gamma(2, 3, 30)[store])
    totals = np.array([thefts[store == one].sum() for one in range(30)])
    return table(thefts, store=[f"store {one}" for one in store], altogether=totals[store])


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


def time_in_the_air() -> pl.DataFrame:
    """A delay that follows from the arrival, and in part from the time in the air, which is known no earlier."""
    random = np.random.default_rng(16)
    planned, left, distance = random.integers(0, 1440, ROWS), random.integers(-5, 60, ROWS), random.integers(1, 9, ROWS)
    wind = random.normal(0, 15, ROWS).round().astype(int)
    delay = left + wind
    clock = [time // 60 * 100 + time % 60 for time in (planned, (planned + delay) % 1440)]
    columns = {"left_late": left, "distance": distance, "air_time": 60 * distance + wind}
    return table(delay, sched_arr=clock[0], arr_time=clock[1], **columns)


KINDS = np.array(["bronze", "silver", "gold"])[np.clip((X + noise(ROWS, seed=9) + 1.5).astype(int), 0, 2)]


def encoded_classes() -> pl.DataFrame:
    """One column per class but one; none of them alone gives the class."""
    return table(KINDS, a=(KINDS == "gold").astype(int), b=np.where(KINDS == "silver", "T", "F"))


def a_class_in_its_name() -> pl.DataFrame:
    return table(KINDS, is_gold=(KINDS == "gold").astype(int))


def price_bands() -> pl.DataFrame:
    price = np.exp(6 + Y / 10).round(2)
    bands = np.array(["budget", "low", "middle", "high", "luxury"])[
        np.digitize(price, np.quantile(price, [0.1, 0.4, 0.6, 0.9]))
    ]
    return table(price, band=bands)


def points_of_many_questions() -> pl.DataFrame:
    points = {f"q{k}": np.random.default_rng(k).integers(0, 5, ROWS) for k in range(8)}
    return table(sum(points.values()), **points)


def legs_of_a_race() -> pl.DataFrame:
    """Some parts are so short that the others nearly give the sum."""
    legs = {
        f"leg{k}": (mean * (1 + 0.2 * noise(ROWS, seed=30 + k))).round(1)
        for k, mean in enumerate([30, 75, 45, 3, 2, 1])
    }
    return table(sum(legs.values()).round(1), **legs)


def filled_in_for_refunds() -> pl.DataFrame:
    refund = np.where(EVENT, numbers(), 0.0)
    return table(refund, reason=[f"reason {k % 3}" if event and k % 4 else None for k, event in enumerate(EVENT)])


def filled_in_for_long_stays() -> pl.DataFrame:
    return table(Y, review=[float(k % 5) if y > 22 else None for k, y in enumerate(Y)])


def due_and_paid() -> pl.DataFrame:
    due = numbers(4, 200)
    paid = np.where(EVENT, due, (due * np.random.default_rng(5).random(ROWS)).round(1))
    return table(np.where(paid >= due, "yes", "no"), due=due, paid=paid)


def almost_the_classes() -> pl.DataFrame:
    flipped = np.random.default_rng(5).random(ROWS) < 0.01
    return table(np.where(EVENT, "pass", "fail"), state=np.where(EVENT ^ flipped, 3, 8))


def margin() -> pl.DataFrame:
    revenue = numbers(4, 400).round(0)
    cost = (revenue * np.random.default_rng(5).uniform(0.4, 0.95, ROWS)).round(0)
    return table(((revenue - cost) / revenue * 100).round(1), revenue=revenue, cost=cost)


def best_of_three() -> pl.DataFrame:
    jumps = {f"jump{k}": (6 + 0.3 * X + 0.3 * noise(ROWS, seed=20 + k)).round(2) for k in range(3)}
    return table(np.max(list(jumps.values()), axis=0), **jumps)


def total_with_blanks() -> pl.DataFrame:
    """What did not occur was left blank."""
    parts = [np.where(np.random.default_rng(k + 40).random(ROWS) < 0.4, 0, numbers(k)) for k in (4, 5)]
    blank = [[None if one == 0 else float(one) for one in part] for part in parts]
    return table((parts[0] + parts[1]).round(1), food=blank[0], other=blank[1])


def result_of_a_match() -> pl.DataFrame:
    home, away = (np.random.default_rng(seed).poisson(1.5, ROWS) for seed in (4, 5))
    return table(np.array(["away", "draw", "home"])[np.sign(home - away) + 1], goals=home, goals_away=away)


def points_of_an_examination() -> pl.DataFrame:
    points = {f"task{k}": (55 + 8 * X + 12 * noise(ROWS, seed=20 + k)).round(0) for k in range(3)}
    return table(np.where(sum(points.values()) >= 150, "passed", "failed"), **points)


def probabilities_of_the_classes() -> pl.DataFrame:
    shares = np.random.default_rng(5).dirichlet([1, 1, 1], ROWS).round(3)
    return table(np.array(["a", "b", "c"])[shares.argmax(axis=1)], **{f"p{k}": shares[:, k] for k in range(3)})


def along_time(y: np.ndarray, **columns: object) -> pl.DataFrame:
    return table(y, day=np.datetime64("2019-01-01") + np.arange(ROWS), **columns)


SERIES = (20 + 2 * walk(ROWS + 1, 0.8)).round(2)


def running_total() -> pl.DataFrame:
    return along_time(SERIES[1:], total=np.cumsum(SERIES[1:]).round(2))


def moving_average() -> pl.DataFrame:
    return along_time(SERIES[1:], average=pl.Series(SERIES[1:]).rolling_mean(7).round(2))


def tomorrow() -> pl.DataFrame:
    return along_time(SERIES[:-1], next_one=SERIES[1:])


def end_of_a_ride() -> pl.DataFrame:
    """Rows in another order, of which nothing depends on time: the end is still later than the start."""
    start = np.datetime64("2020-01-01T08:00", "us") + np.random.default_rng(3).integers(0, 10**7, ROWS).astype(
        "timedelta64[s]"
    )
    minutes = np.random.default_rng(6).integers(10, 90, ROWS)
    fare = (3 + minutes + 9 * X + noise(ROWS, seed=9)).round(2)
    return table(fare, pickup=start, dropoff=start + minutes.astype("timedelta64[m]"))


def after_the_event() -> pl.DataFrame:
    """Not a function of the target, but named for afterward, and far better than the others."""
    random = np.random.default_rng(5)
    days = np.where(EVENT, random.gamma(3, 3, ROWS), random.gamma(1, 0.4, ROWS)).round(1)
    return table(np.where(EVENT, "yes", "no"), days_in_care_after=days)


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


def law_with_noise() -> pl.DataFrame:
    """What is measured follows one column almost exactly, and nothing else says anything about it."""
    force = np.random.default_rng(5).uniform(1, 50, ROWS).round(1)
    return table((0.2 * force + 0.2 * noise(ROWS, seed=9)).round(2), force=force)


def property_of_one_class() -> pl.DataFrame:
    kinds = np.random.default_rng(5).choice(["mammal", "bird", "fish", "insect"], ROWS)
    legs = np.select([kinds == "mammal", kinds == "bird", kinds == "insect"], [4, 2, 6], 0)
    return table(kinds, feathers=(kinds == "bird").astype(int), legs=np.where(X > 1.5, 0, legs))


def doses() -> pl.DataFrame:
    """Groups so far apart that they hardly overlap are no ranges of the target."""
    dose = np.random.default_rng(5).choice([0, 10, 20, 40], ROWS)
    return table((dose + 2 * noise(ROWS, seed=9) + 2 * X).round(1), dose=dose)


def overlapping_bands() -> pl.DataFrame:
    return table(Y, band=np.digitize(Y + noise(ROWS, seed=12), np.quantile(Y, [0.25, 0.5, 0.75])))


def class_of_nearly_all_large_values() -> pl.DataFrame:
    """Two classes of rows whose targets overlap in few of them: no range ends where the other begins."""
    is_large = np.quantile(Y, 0.8) < Y
    state = is_large ^ (np.arange(ROWS) % 150 == 0)
    return table(Y, state=state.astype(int))


def two_clusters() -> pl.DataFrame:
    """Length and width separate the classes together; which one is larger is a coincidence."""
    kind = np.where(EVENT, 1, -1)
    return table(np.where(EVENT, "a", "b"), length=(5 * Z + kind).round(2), width=(5 * Z - kind + 0.3 * X).round(2))


def measured_from_some_day_on() -> pl.DataFrame:
    day = np.datetime64("2019-01-01") + np.arange(ROWS)
    sensor = [None if k < 200 else float(k % 7) for k in range(ROWS)]
    return table((np.arange(ROWS) / 10 + walk(ROWS, 0.5)).round(2), day=day, sensor=sensor)


def grows_by_year() -> pl.DataFrame:
    """A total that only grows has another range in every year."""
    growth = np.cumsum(np.random.default_rng(5).gamma(2, 1, ROWS)).round(1)
    day = np.datetime64("2019-01-01") + np.arange(ROWS)
    return table(growth, day=day, period=np.arange(ROWS) // 60)


def sizes_of_levels() -> pl.DataFrame:
    """How many rows a level has is no total of a target that is nearly always 1."""
    store = np.random.default_rng(6).choice(30, ROWS, p=np.arange(1, 31) / 465)
    paid = np.random.default_rng(7).random(ROWS) < 0.95
    sizes = np.bincount(store)
    return table(np.where(paid, "yes", "no"), store=[f"store {one}" for one in store], size=sizes[store])


def past_average() -> pl.DataFrame:
    return along_time(SERIES[1:], average=pl.Series(SERIES[:-1]).rolling_mean(3).round(2))


def noisy_points() -> pl.DataFrame:
    """The sum decides nearly everything, but not all."""
    points = {f"task{k}": (55 + 12 * noise(ROWS, seed=20 + k)).round(0) for k in range(3)}
    return table(np.where(sum(points.values()) + 8 * Z >= 160, "passed", "failed"), **points)


def booked_arrivals() -> pl.DataFrame:
    booked = np.datetime64("2019-01-01") + np.arange(ROWS)
    lead = np.random.default_rng(5).integers(1, 90, ROWS)
    late = lead / 40 + X + noise(ROWS, seed=9) > 1.5
    return table(np.where(late, "canceled", "kept"), booking_date=booked, arrival_date=booked + lead)


def rare_property() -> pl.DataFrame:
    """So few rows have it that it is never much out of place."""
    return table(
        Y, wetland=(np.arange(ROWS) % 149 == 3).astype(int), other=np.zeros(ROWS).astype(int) + (np.arange(ROWS) % 2)
    )


def counts_that_are_often_0() -> pl.DataFrame:
    """Ratios of whole numbers, most of which are 0."""
    random = np.random.default_rng(5)
    counts = {f"c{k}": np.where(random.random(ROWS) < 0.9, 0, random.integers(0, 16, ROWS)) for k in range(4)}
    return table(np.where(random.random(ROWS) < 0.9, 0, random.integers(0, 16, ROWS)).astype(float), **counts)


def earlier_fines() -> pl.DataFrame:
    """Amounts that are mostly 0, and more often above it where the event happened."""
    had_some = np.random.default_rng(5).random(ROWS) < np.where(EVENT, 0.6, 0.1)
    return table(np.where(EVENT, "yes", "no"), fines=np.where(had_some, numbers(), 0.0))


def length_of_wings() -> pl.DataFrame:
    """Only one class has them, but the other columns tell the classes apart as well."""
    has_wings = EVENT & (np.random.default_rng(5).random(ROWS) < 0.85)
    return table(
        np.where(EVENT, "bird", "mammal"),
        wings=np.where(has_wings, numbers(), 0.0),
        legs=np.where(EVENT, 2.0, 4.0) + 0.3 * Z,
        bill=EVENT + 0.2 * noise(ROWS, seed=11),
    )


def series_that_always_grow() -> pl.DataFrame:
    """Both have the order of time, and so that of each other."""
    random = np.random.default_rng(4)
    grown, other = (np.cumsum(random.gamma(2, 1, 200)).round(2) for _ in range(2))
    month = [f"{1990 + k // 12}-{1 + k % 12:02d}-01" for k in range(200)]
    return pl.DataFrame({"month": month, "x": X[:200], "z": Z[:200], "other": other, "y": grown})


def prices_of_packs() -> pl.DataFrame:
    """Small whole numbers have few ratios, whatever they are."""
    random = np.random.default_rng(9)
    pieces = random.integers(1, 4, ROWS)
    return table(pieces * random.integers(1, 9, ROWS), pieces=pieces)


def followed_up() -> pl.DataFrame:
    """Months until a relapse, or until the last visit without one."""
    random = np.random.default_rng(4)
    until, last = random.exponential(24 * np.exp(-0.5 * X)), random.uniform(6, 30, ROWS)
    relapse = np.where(until < last, "yes", "no")
    return table(relapse, follow_up_months=np.minimum(until, last).round(1))


def _follow_up(rows: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A measure, when each person entered, the days until the event, whether it was seen, and the days of follow-up:
    until the event or until the study was closed after ten years, of which the first six had new persons."""
    random = np.random.default_rng(12)
    x, entered = random.normal(size=rows), random.integers(0, 6 * 365, rows)
    event = random.exponential(2500 * np.exp(-0.5 * x)) + 20
    end = 3650 - entered
    return x, entered, event, event <= end, np.minimum(event, end).round()


def follow_up_until_closing() -> pl.DataFrame:
    """The time has no telling name, but dates show when rows without the event end."""
    x, entered, _, seen, time = _follow_up()
    dates = (np.datetime64("2000-01-01") + entered).astype("datetime64[us]")
    return pl.DataFrame({"entered": dates, "x": x, "v": time, "y": seen.astype(int)})


def follow_up_of_deaths() -> pl.DataFrame:
    x, _, _, seen, time = _follow_up()
    return pl.DataFrame({"x": x, "futime": time, "y": np.where(seen, "dead", "alive")})


def two_follow_ups() -> pl.DataFrame:
    """Days until a relapse and until death, or until the end of the study."""
    random = np.random.default_rng(13)
    x, _, _, seen, time = _follow_up()
    first = np.where(seen, np.minimum((time * random.uniform(0.2, 0.95, len(x))).round(), time - 1), time)
    return pl.DataFrame({"x": x, "a": first, "b": time, "y": seen.astype(int)})


def tenure() -> pl.DataFrame:
    """Customers of long standing leave less often: known before."""
    random = np.random.default_rng(14)
    months = random.integers(1, 73, 1500)
    left = random.random(1500) < 0.55 * np.exp(-months / 20)
    charges = random.uniform(20, 110, 1500).round(2)
    return pl.DataFrame({"tenure": months, "charges": charges, "y": np.where(left, "Yes", "No")})


def tenure_at_one_day() -> pl.DataFrame:
    """Counted from the day of the contract until the same day for all, those who leave afterward as well."""
    table = tenure()
    begun = (np.datetime64("2020-01-01") - 30 * table["tenure"].to_numpy()).astype("datetime64[us]")
    return table.with_columns(begun=begun)


def time_of_a_task() -> pl.DataFrame:
    """Fast ones pass more often: the time says nothing about the end of an observation."""
    random = np.random.default_rng(16)
    time = random.gamma(4, 10, 600).round(1)
    passed = random.random(600) < 1 / (1 + np.exp((time - 40) / 15))
    return pl.DataFrame({"time": time, "x": random.normal(size=600), "y": np.where(passed, "pass", "miss")})
