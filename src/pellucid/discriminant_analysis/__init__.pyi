# Written by tools/write_stubs.py.
from pellucid.discriminant_analysis.linear import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from pellucid.discriminant_analysis.quadratic import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
from pellucid.discriminant_analysis.regularized import (
    RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis,
)

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "RegularizedDiscriminantAnalysis"]
