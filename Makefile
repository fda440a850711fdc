# Each target sets up what it needs. Only Python 3.11+ (with pip and venv) and a C++20 compiler must be there before.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEFINE := -C cmake.define.PELLUCID_DEV=ON
CPP    := $(shell find cpp -name '*.[ch]pp' 2>/dev/null)
SAY    := @printf '\n== %s\n'

.PHONY: demo test exhaustive quick check format stubs build cpptest bench bench-busy sanitize wheel docs clean
.DEFAULT_GOAL := demo

## The main job on a table that comes with the package: ends with the path of a report.
demo: $(VENV)/extra-demo build
	@$(BIN)/python -m pellucid.demo

## Lint, types, C++ tests and all Python tests.
test: $(VENV)/made
	@$(MAKE) -j 2 --output-sync=target $(VENV)/extra-test build
	@$(MAKE) -j 2 --output-sync=target check cpptest
	$(SAY) "Python tests"
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

## Every test there is, also of all settings of all estimators.
exhaustive: $(VENV)/extra-test build
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --exhaustive

## The Python tests without the slow ones, on all cores.
quick: $(VENV)/extra-test build
	@$(BIN)/python -m pytest -n auto -m "not slow"

check: $(VENV)/extra-test build
	$(SAY) "ruff"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(SAY) "mypy"
	@$(BIN)/mypy
	$(SAY) "clang-format"
	@$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(SAY) "layers (import-linter)"
	@$(BIN)/lint-imports --no-cache
	$(SAY) "stubs"
	@$(BIN)/python tools/write_stubs.py --check
	$(SAY) "words (docs/glossary.md)"
	@$(BIN)/python tools/check_words.py

## Puts code into shape.
format: $(VENV)/extra-test build
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format . ; $(BIN)/clang-format -i $(CPP) ; $(BIN)/python tools/write_stubs.py ; $(BIN)/python tools/write_manifest.py

stubs: $(VENV)/extra-test build
	@$(BIN)/python tools/write_stubs.py

## Compiles what changed and installs the package in editable form.
build: $(VENV)/built

$(VENV)/built: $(CPP) CMakeLists.txt pyproject.toml $(VENV)/made
	$(SAY) "building the C++ core"
	@touch $@.begun
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation $(DEFINE) -e .
	@mv $@.begun $@

$(VENV)/made:
	$(SAY) "making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Pellucid needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version`. hint: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check "scikit-build-core>=0.11" "nanobind>=2.4" "cmake>=3.21" ninja
	@touch $@

# Dependencies of an extra, without the package itself: that is what `build` installs.
$(VENV)/extra-%: pyproject.toml $(VENV)/made
	$(SAY) "installing what '$*' needs"
	@$(BIN)/python tools/dependencies.py $* | xargs $(BIN)/pip install -q --disable-pip-version-check
	@touch $@

# In the folder where the extension was built: the core is compiled once for both.
BUILT = $$(ls -td build/cp*/ | head -n 1)
cpptest: build
	$(SAY) "C++ tests"
	@PATH="$(abspath $(BIN)):$$PATH" cmake -DPELLUCID_TESTS=ON $(BUILT) > build-tests.log 2>&1 || { cat build-tests.log; exit 1; }
	@PATH="$(abspath $(BIN)):$$PATH" cmake --build $(BUILT) --target core_tests > build-tests.log 2>&1 || { cat build-tests.log; exit 1; }
	@rm -f build-tests.log
	@$(BUILT)core_tests

## The kernels' tests under AddressSanitizer and UBSan: the C++ tests, and the Python tests of the kernels.
sanitize: $(VENV)/extra-test
	@VENV=$(VENV) tools/sanitize.sh

## Ours beside the peers; writes benchmarks/RESULTS.md.
bench: $(VENV)/extra-bench build
	@$(BIN)/python -m benchmarks

bench-busy: $(VENV)/extra-bench build
	@$(BIN)/python -m benchmarks --busy

## A wheel, installed and tried in an empty environment.
wheel: $(VENV)/made
	@tools/try_wheel.sh $(PYTHON)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
