# make demo    set up .venv and run the main examples
# make test    set up .venv and run the tests
# PYTHON=python3.12 chooses the interpreter, TESTS=tests/native a part of the tests,
# PINNED="numpy==2.0.*" what else the environment holds, OPTIONS what else pytest is told.
PYTHON ?= python3
TESTS ?= tests
VENV ?= .venv
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n > 6 ? 6 : n < 2 ? 2 : n)))
PINNED ?=
OPTIONS ?=

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CORE := $(wildcard dynamo_lite/native/*.cpp dynamo_lite/native/*/*.c dynamo_lite/native/*/*.cpp dynamo_lite/native/*/*.h)

.PHONY: demo test bench lint sdist wheels docs clean interpreter

demo: $(STAMP)
	$(BIN)/python examples/demo.py

# Threads of OpenBLAS that wait for each other in several processes at once keep all cores busy.
test: export OPENBLAS_NUM_THREADS ?= 1
test: $(STAMP)
	$(BIN)/python -m pytest -q -n $(JOBS) $(OPTIONS) $(TESTS)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

lint: $(STAMP)
	$(BIN)/python -m pip install -q "ruff>=0.6" "mypy>=1.11"
	$(BIN)/ruff check .
	rm -rf build/lint
	$(BIN)/python setup.py -q build_py --build-lib build/lint
	cd build/lint && MYPYPATH=. ../../$(BIN)/python -m mypy -p dynamo_lite --config-file ../../pyproject.toml

# The source distribution is complete: a wheel is built from it alone.
sdist: $(STAMP)
	$(BIN)/python -m pip install -q "build>=1.2"
	rm -rf build/sdist build/wheel
	$(BIN)/python -m build -q --no-isolation --sdist --outdir build/sdist .
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w build/wheel build/sdist/*.tar.gz

# Wheels for every Python, which run on older systems than this one: see the script.
wheels:
	.ci/wheels

# The pages as a site, in build/site.
docs: $(STAMP)
	$(BIN)/python -m pip install -q "mkdocs>=1.6"
	$(BIN)/python -m mkdocs build -q --strict

# The environment belongs to one interpreter: another PYTHON makes it anew.
interpreter:
	@python=$$(.ci/python $(PYTHON)) && \
	wanted=$$($$python -c 'import sys; print(sys.version)') && \
	if [ "$$($(BIN)/python -c 'import sys; print(sys.version)' 2>/dev/null)" != "$$wanted" ]; then \
		rm -rf $(VENV) && $$python -m venv $(VENV); \
	fi

$(STAMP): pyproject.toml setup.py $(CORE) | interpreter
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q "setuptools>=77" "numpy>=2.0" $(PINNED)
	$(BIN)/python -m pip install -q --no-build-isolation -e ".[test,demo]" $(PINNED)
	touch $(STAMP)

clean:
	rm -rf $(VENV) build *.egg-info dynamo_lite/native/*.so
