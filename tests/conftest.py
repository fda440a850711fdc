"""For all tests."""

import os

import hypothesis

# scikit-learn runs its check of array-API input only when SciPy was told before it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples in every run, so that what passes once passes again; HYPOTHESIS_PROFILE=default searches anew.
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
