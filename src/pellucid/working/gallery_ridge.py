"""Worked examples about ridge regression: one line for several penalties, on both scales of the cost."""

from __future__ import annotations

from pellucid.linear_model import Ridge
from pellucid.working.gallery_base import Example, column, example, parts_of
from pellucid.working.language import mean
from pellucid.working.model import Working

AT = 1.5


@example("002-ridge-closed-form")
def closed_form(e: Example) -> Working:
    x, y = column(e.data["x1"]), e.data["y"]
    models = {f"alpha_{alpha}": Ridge(alpha).fit(x, y) for alpha in (0, 1, 10, 100)}
    models["mean_cost"] = Ridge(e.settings["alpha"], cost="mean").fit(x, y)
    sections = []
    for name, model in models.items():
        title = "Cost by the mean" if name == "mean_cost" else f"α = {model.alpha:g}"
        sections.append((name, title, model.show_fit(x, y)))
        sections.append((f"{name}_at", f"{title}, at {AT}", model.show_predict([[AT]])))
    w = parts_of(*sections)
    w.title = e.title
    w.step("No penalty is too strong", "As α grows the slope goes to zero, and the line to the mean of the target.")
    target = w.cells["alpha_1.y"]
    w.cell("flat", mean(target), symbol=r"\bar{y}", label="the flat line")
    return w
