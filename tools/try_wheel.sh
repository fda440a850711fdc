#!/usr/bin/env bash
# Builds the wheel, installs it alone into an empty environment and fits a model there.
set -euo pipefail
python=${1:-python3}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
"$python" -m venv "$room/build"
"$room/build/bin/pip" -q --disable-pip-version-check wheel . --no-deps -w "$room/dist"
"$python" -m venv "$room/use"
"$room/use/bin/pip" -q --disable-pip-version-check install "$room"/dist/*.whl
cd "$room"
"$room/use/bin/python" - <<'PY'
import importlib.util, pathlib, pellucid
from pellucid.linear_model import LinearRegression
from pellucid.datasets import load_penguins
model = LinearRegression().fit([[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5])
assert abs(model.coef_[0] - 0.8) < 1e-12
assert load_penguins().data.shape == (344, 4)
assert importlib.util.find_spec("pandas") is None and importlib.util.find_spec("matplotlib") is None
working = model.show_fit([[1], [2], [4], [3], [5]], [1, 3, 3, 2, 5])
assert abs(working.value("slope") - 0.8) < 1e-12
assert "<math" in working.to_html() and "Sxy" in working.cells
try:
    working.to_excel("line.xlsx")
except ImportError as error:
    assert "pellucid[excel]" in str(error)
core = next(pathlib.Path(pellucid.__file__).parent.glob("_core*"))
print(f"wheel works: pellucid {pellucid.__version__}, {core.name} {core.stat().st_size / 1024:.0f} kB")
PY
"$room/use/bin/python" -m pellucid.working 000-linear-regression-sgd --out "$room/sgd.html" > /dev/null
test "$(wc -c < "$room/sgd.html")" -gt 50000
