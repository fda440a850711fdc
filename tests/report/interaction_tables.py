"""Generated tables of baskets, ratings and visits in every form, and ordinary tables that look a little like them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl

GOODS = ["bread", "butter", "jam", "milk", "tea", "rusk", "eggs", "rice", "soap", "salt", "figs", "nuts"]


def basket_lists(n: int = 300, seed: int = 0) -> list[list[str]]:
    """Baskets of different lengths in which butter goes with bread, and rusk with tea; no item stands twice."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        chosen = {GOODS[k] for k in random.choice(len(GOODS), random.integers(1, 5), p=_popularity())}
        if "bread" in chosen and random.random() < 0.75:
            chosen.add("butter")
        if "tea" in chosen and random.random() < 0.6:
            chosen.add("rusk")
        found.append([str(item) for item in random.permutation(sorted(chosen))])
    return found


def _popularity() -> np.ndarray:
    weights = 1 / np.arange(2, 2 + len(GOODS))
    return np.asarray(weights / weights.sum())


def lines(delimiter: str = ",", n: int = 300) -> str:
    """One basket per line."""
    return "".join(delimiter.join(basket) + "\n" for basket in basket_lists(n))


def pairs(n: int = 300, basket: str = "order", item: str = "product") -> pl.DataFrame:
    """One row for each item of a basket."""
    rows = [(number + 500, name) for number, names in enumerate(basket_lists(n)) for name in names]
    return pl.DataFrame(rows, schema=[basket, item], orient="row")


def flags(n: int = 300) -> pl.DataFrame:
    """One column for each item."""
    baskets = basket_lists(n)
    return pl.DataFrame({name: [int(name in basket) for basket in baskets] for name in GOODS})


def padded(n: int = 300) -> pl.DataFrame:
    """Items in numbered columns."""
    baskets = basket_lists(n)
    width = max(map(len, baskets))
    return pl.DataFrame({f"item {k + 1}": [one[k] if k < len(one) else None for one in baskets] for k in range(width)})


def transactions(n: int = 400, seed: int = 1) -> pl.DataFrame:
    """Lines of invoices, with cancellations."""
    random = np.random.default_rng(seed)
    rows = []
    for number, names in enumerate(basket_lists(n, seed)):
        cancelled = number % 25 == 24
        invoice = f"{'C' if cancelled else ''}{536365 + number}"
        when = dt.datetime(2023, 1, 2, 8) + dt.timedelta(minutes=17 * number)
        customer = 12000 + int(random.integers(0, 60))
        for name in names:
            code = f"{20000 + 7 * GOODS.index(name)}{'AB'[GOODS.index(name) % 2]}"
            quantity = int(random.integers(1, 9)) * (-1 if cancelled else 1)
            price = round(1 + 0.4 * GOODS.index(name), 2)
            rows.append((invoice, code, name.upper(), quantity, when, price, customer, "United Kingdom"))
    names = ["InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"]
    return pl.DataFrame(rows, schema=names, orient="row")


def ratings(n_users: int = 80, n_items: int = 60, seed: int = 2) -> pl.DataFrame:
    """Users of two tastes rate items of two kinds on a scale from 1 to 5."""
    random = np.random.default_rng(seed)
    rows = []
    for user in range(n_users):
        for item in random.choice(n_items, random.integers(8, 25), replace=False).tolist():
            liked = 4.3 if user % 2 == item % 2 else 2.0
            rating = int(np.clip(round(liked + random.normal(0, 0.7)), 1, 5))
            rows.append((user + 1, item + 100, rating, 874_000_000 + int(random.integers(0, 20_000_000))))
    return pl.DataFrame(rows, schema=["user_id", "item_id", "rating", "timestamp"], orient="row")


def visits(n_users: int = 90, seed: int = 3) -> pl.DataFrame:
    """Visitors of two groups, and the pages that they saw."""
    random = np.random.default_rng(seed)
    pages = [f"/{word}" for word in "news sport shop help jobs blog faq about maps radio video mail".split()]  # noqa: SIM905
    rows = []
    for user in range(n_users):
        likely = np.where(np.arange(len(pages)) % 2 == user % 2, 5.0, 1.0)
        for k in random.choice(len(pages), random.integers(2, 7), replace=False, p=likely / likely.sum()).tolist():
            rows.append((f"v{user:03d}", pages[k]))
    return pl.DataFrame(rows, schema=["visitor", "page"], orient="row")


def wide_ratings(n_users: int = 120, n_items: int = 20, seed: int = 4, not_rated: float | None = None) -> pl.DataFrame:
    """One column for each joke, a rating from -10 to 10 or none in each cell."""
    random = np.random.default_rng(seed)
    values = np.clip(random.normal(0, 4, (n_users, n_items)) + 2 * random.normal(size=n_users)[:, None], -10, 10)
    values = np.round(values if not_rated is not None else values / 2)
    gone = random.random((n_users, n_items)) < 0.4
    table = np.where(gone, np.nan if not_rated is None else not_rated, values)
    return pl.DataFrame(
        {f"joke {j + 1}": [None if np.isnan(v) else float(v) for v in table[:, j]] for j in range(n_items)}
    )


# ------------------------------------------------------------------------------------------------- ordinary tables


def survey(n: int = 200) -> pl.DataFrame:
    """Answers of yes or no, as often one as the other, and a target."""
    random = np.random.default_rng(5)
    answers = random.integers(0, 2, (n, 12))
    table = {f"q{j + 1}": answers[:, j].tolist() for j in range(12)}
    return pl.DataFrame({**table, "satisfied": np.where(answers.sum(axis=1) > 6, "yes", "no").tolist()})


def one_row_per_user(n: int = 200) -> pl.DataFrame:
    """Names that speak of ratings, but every user has one row."""
    random = np.random.default_rng(6)
    products = random.choice(["basic", "plus", "pro"], n)
    return pl.DataFrame({"user": np.arange(n), "product": products, "score": random.integers(1, 6, n)})


def sensors(n: int = 300) -> pl.DataFrame:
    """States of machines, each of which is on half of the time."""
    random = np.random.default_rng(7)
    return pl.DataFrame({f"valve_{j}": (random.random(n) < 0.5).astype(int).tolist() for j in range(14)})


def one_hot(n: int = 200) -> pl.DataFrame:
    """Three columns of categories, written as flags."""
    random = np.random.default_rng(8)
    table = {}
    for name, size in (("color", 5), ("shape", 4), ("origin", 6)):
        codes = random.integers(0, size, n)
        table.update({f"{name}_{k}": (codes == k).astype(int).tolist() for k in range(size)})
    return pl.DataFrame(table)


def names_of_ids(n: int = 150) -> pl.DataFrame:
    """A list of codes and what they mean."""
    return pl.DataFrame({"id": np.arange(n), "name": [f"{GOODS[k % 12]} {k}" for k in range(n)]})


def panel() -> pl.DataFrame:
    """A measurement for each country and year."""
    random = np.random.default_rng(9)
    rows = [(c, y, round(float(random.normal(50, 9)), 1)) for c in range(30) for y in range(1990, 2015)]
    return pl.DataFrame(rows, schema=["country", "year", "index"], orient="row")


def grid() -> pl.DataFrame:
    """Grades of every student in every subject."""
    random = np.random.default_rng(10)
    rows = [(s, f"subject {k}", int(random.integers(1, 6))) for s in range(40) for k in range(25)]
    return pl.DataFrame(rows, schema=["x", "y", "z"], orient="row")


def edges(n: int = 400) -> pl.DataFrame:
    """Who knows whom."""
    random = np.random.default_rng(11)
    people = [f"p{k:02d}" for k in range(50)]
    found = sorted({(people[a], people[b]) for a, b in random.integers(0, 50, (n, 2)) if a != b})
    return pl.DataFrame(found, schema=["source", "target"], orient="row")


def patients(n: int = 200) -> pl.DataFrame:
    """One row per patient, with rare findings as flags and an outcome."""
    random = np.random.default_rng(12)
    table = {f"symptom_{k}": (random.random(n) < 0.3).astype(int).tolist() for k in range(6)}
    table["sex"] = ["f", "m"] * (n // 2)
    numbers = {"age": random.integers(20, 90, n), "pressure": random.normal(120, 10, n).round(1)}
    return pl.DataFrame({"patient": np.arange(n), **numbers, **table, "outcome": random.integers(0, 2, n)})


def addresses(n: int = 120) -> pl.DataFrame:
    """Texts with commas that are no lists."""
    places = [f"{k} Elm Street, Springfield, {'OH' if k % 2 else 'IL'}" for k in range(n)]
    return pl.DataFrame({"name": [f"person {k}" for k in range(n)], "address": places})


def sales_orders(n: int = 300) -> pl.DataFrame:
    """One row per order: nothing is bought together."""
    random = np.random.default_rng(13)
    return pl.DataFrame({
        "order_id": np.arange(n) + 7000, "customer": random.integers(0, 80, n), "product": random.choice(GOODS, n),
        "quantity": random.integers(1, 9, n), "price": random.gamma(3, 4, n).round(2),
        "region": random.choice(["north", "south"], n), "channel": random.choice(["web", "shop"], n),
    })  # fmt: skip


def genotypes(n: int = 200) -> pl.DataFrame:
    """Counts of an allele: a 0 says something."""
    random = np.random.default_rng(14)
    return pl.DataFrame({f"rs{k}": random.integers(0, 3, n) for k in range(20)})


def pixels(n: int = 200) -> pl.DataFrame:
    """Gray values, most of them 0."""
    random = np.random.default_rng(15)
    return pl.DataFrame({f"p{k}": np.where(random.random(n) < 0.6, 0, random.integers(0, 16, n)) for k in range(64)})


def inspections(n: int = 400) -> pl.DataFrame:
    """Scores of restaurants: neither a basket nor a user's rating."""
    random = np.random.default_rng(16)
    return pl.DataFrame({
        "restaurant": [f"r{k}" for k in random.integers(0, 50, n)], "inspector": [f"i{k % 8}" for k in range(n)],
        "score": random.integers(60, 101, n), "day": pl.Series(random.integers(18000, 19000, n)).cast(pl.Date),
    })  # fmt: skip


def tokens(n: int = 400) -> pl.DataFrame:
    """Words of sentences with their parts of speech."""
    random = np.random.default_rng(17)
    words = [f"w{k}" for k in random.integers(0, 60, n)]
    return pl.DataFrame({"sentence": np.arange(n) // 10, "token": words, "pos": random.choice(list("NVAD"), n)})


ORDINARY = {
    one.__name__: one
    for one in (survey, one_row_per_user, sensors, one_hot, names_of_ids, panel, grid, edges, patients, addresses,
                sales_orders, genotypes, pixels, inspections, tokens)
}  # fmt: skip
