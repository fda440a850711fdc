"""How `Perceptron` learns from its mistakes: every row with its score, and what a wrong one changes."""

from __future__ import annotations

from pellucid.working.entry import shows
from pellucid.working.shown._stochastic_predictions import predict
from pellucid.working.shown.stochastic_gradient import fit

shows("Perceptron.fit")(fit)
shows("Perceptron.predict")(predict)
