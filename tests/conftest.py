"""For all tests."""

import os

# scikit-learn runs its check of array-API input only when SciPy was told before it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
