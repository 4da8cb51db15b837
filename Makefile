# Two commands do everything: `make demo` runs the main job, `make test` runs every check.

PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check
# Nothing is installed that is not pinned by hash, and nothing builds itself here but our own package.
PINNED := --require-hashes --only-binary :all:
OWN := --no-deps --no-build-isolation --editable .

# What is compiled once is not compiled again by each process, also where the environment says so.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-stress campaign setup lock bench clean

demo: $(VENV)/ready-to-run
	@$(VENV)/bin/kg demo

test: $(VENV)/ready-to-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	@# Types are checked while tests wait for the server; both must end well.
	@$(VENV)/bin/mypy >$(VENV)/types 2>&1 & types=$$!; \
	$(VENV)/bin/pytest -n 2 --dist loadfile; tests=$$?; \
	wait $$types; checked=$$?; echo "mypy:"; cat $(VENV)/types; exit $$((tests || checked))

# The same in random order while every core is kept busy: make test-stress STRESS="--seed 7 --workers 4 --cores 0.5"
test-stress: $(VENV)/ready-to-test
	$(VENV)/bin/python -m tests.stress $(STRESS)

# Faults at every stage, for hours; some need the right to mount a file system.
campaign: $(VENV)/ready-to-test
	$(VENV)/bin/python -m benchmarks.campaign --write

setup: $(VENV)/ready-to-run

bench: $(VENV)/ready-to-test
	$(VENV)/bin/python -m benchmarks

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Hopgrade needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Say which: make demo PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { echo "The virtual environment can't be made; on Debian and Ubuntu install python3-venv."; exit 2; }

$(VENV)/ready-to-run: $(VENV)/bin/python requirements/run.txt requirements/build.txt pyproject.toml
	@echo "Setting up the environment in $(VENV) (once, about a minute) ..."
	@$(PIP) $(PINNED) -r requirements/run.txt -r requirements/build.txt
	@$(PIP) $(OWN)
	@touch $@

$(VENV)/ready-to-test: $(VENV)/bin/python requirements/test.txt requirements/build.txt pyproject.toml
	@echo "Setting up the environment for tests in $(VENV) (once, about a minute) ..."
	@$(PIP) $(PINNED) -r requirements/test.txt -r requirements/build.txt
	@$(PIP) $(OWN)
	@touch $@ $(VENV)/ready-to-run

COMPILED := --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet
RUNS := --extra benchmark --extra parquet --extra notebook
TESTS := --extra dev --extra gds --extra langchain --extra llama-index --extra haystack --extra tracing

# Renews the pinned versions; run it on purpose, then read the difference. Needs uv.
lock:
	uv pip compile $(COMPILED) --upgrade $(RUNS) pyproject.toml -o requirements/run.txt
	uv pip compile $(COMPILED) $(RUNS) $(TESTS) -c requirements/run.txt pyproject.toml -o requirements/test.txt
	printf 'hatchling\neditables\n' | uv pip compile $(COMPILED) -c requirements/test.txt - -o requirements/build.txt

clean:
	rm -rf $(VENV) dist build
