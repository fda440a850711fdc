"""What the page says of columns, suggestions and changes."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pandas as pd

from pellucid.report.job import study
from pellucid.report.page import page


def test_what_became_missing_already_is_not_suggested_again() -> None:
    """A cell of a blank is missing once it is trimmed; a column whose numbers are text is not merely a category."""
    random = np.random.default_rng(0)
    phones = [[" ", "nan", "098-765-4321", "123-456-7890"][i % 4] for i in range(200)]
    ages = [["25", "30", "thirty five", "nan"][i % 4] for i in range(200)]
    table = pd.DataFrame({"phone": phones, "age": ages, "x": random.normal(size=200), "z": random.normal(size=200)})
    text = unescape(re.sub(r"<[^>]+>", "", page(study(table, minutes=0.02))))
    assert "values=['nan'])" in text
    assert "values=['nan', ' ']" not in text
    assert "text, read as numbers" in text
    assert "Done by the cleaning where nothing is lost by it: to_number" not in text
