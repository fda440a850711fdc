# Written by tools/write_stubs.py.
from pellucid.isotonic.isotonic import IsotonicRegression as IsotonicRegression
from pellucid.isotonic.isotonic import check_increasing as check_increasing
from pellucid.isotonic.isotonic import isotonic_regression as isotonic_regression

__all__ = ["IsotonicRegression", "check_increasing", "isotonic_regression"]
