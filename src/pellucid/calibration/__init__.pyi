# Written by tools/write_stubs.py.
from pellucid.calibration.calibration import CalibratedClassifierCV as CalibratedClassifierCV

__all__ = ["CalibratedClassifierCV"]
