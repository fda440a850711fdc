#!/usr/bin/env bash
# The kernels under AddressSanitizer and UndefinedBehaviorSanitizer: first the C++ tests, then the Python tests that
# exercise the kernels, with a sanitized extension in a folder of its own.
set -euo pipefail
bin=$PWD/${VENV:-.venv}/bin
export PATH=$bin:$PATH
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
build=build/sanitize
cmake -S . -B $build -G Ninja -DPELLUCID_SANITIZE=ON -DPELLUCID_TESTS=ON -DPELLUCID_DEV=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPython_EXECUTABLE="$bin/python" -Dnanobind_DIR="$("$bin/python" -m nanobind --cmake_dir)" > /dev/null
cmake --build $build --target all core_tests | tail -n 1
echo "== C++ tests"
ASAN_OPTIONS=detect_leaks=1 $build/core_tests
echo "== Python tests of the kernels"
room=$build/package
rm -rf $room && mkdir -p $room && cp -r src/pellucid $room/ && cp $build/_core*.so $room/pellucid/
# The interpreter itself is not built with the sanitizer: its runtime must be loaded first, and the interpreter's own
# allocations at exit are not leaks of ours.
runtime=$(g++ -print-file-name=libasan.so)
cd $room/..
# The editable install of the environment would be found first: it is taken out of the way.
run='import sys, pytest
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
import pellucid._core
assert "sanitize" in pellucid._core.__file__, pellucid._core.__file__
raise SystemExit(pytest.main(sys.argv[1:]))'
ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$runtime $(g++ -print-file-name=libstdc++.so)" PYTHONPATH=$PWD/package PYTHONMALLOC=malloc \
  "$bin/python" -c "$run" -q -p no:cacheprovider --rootdir=../.. -c ../../pyproject.toml -m "not slow" \
  ../../tests/worked ../../tests/properties ../../tests/parity ../../tests/contract/test_bad_input.py \
  ../../tests/data ../../tests/metrics ../../tests/preprocessing ../../tests/impute ../../tests/feature_selection ../../tests/quality
