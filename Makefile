# Targets for people. `make test` is what CI runs; everything after `make setup` works offline.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
    command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet


.PHONY: help setup demo test lint types contracts tests fix golden docs bench lab lab-report lab-smoke soak lock clean

help:
	@echo "make demo    install the core, index a real repository, ask three questions"
	@echo "make test    set up and run what CI runs: lint, types, contracts, tests"
	@echo "make fix     rewrite: imports, formatting        make golden  rewrite: expected outputs"
	@echo "make docs    rewrite: generated documentation    make soak    long random runs"
	@echo "make bench   MIRROR=DIR BENCH=DIR: figures of docs/benchmarks.md"
	@echo "make lab     MIRROR=DIR BENCH=DIR: every experiment, then docs/lab/report.md (hours; goes on where it was stopped)"
	@echo "make lab-report RESULTS=DIR: docs/lab/report.md from results that are there    make lab-smoke  what CI runs of it"

# ---------------------------------------------------------------- setup

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "grainline needs Python 3.11 or newer with venv; none was found" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/core.stamp: $(BIN)/python requirements/core.txt pyproject.toml
	@test -e $(VENV)/dev.stamp || echo "installing the core packages"
	@test -e $(VENV)/dev.stamp || $(PIP) install --no-deps --no-compile --require-hashes --only-binary :all: -r requirements/core.txt
	@$(PIP) install --no-deps --no-build-isolation --no-compile -e .
	@touch $@

$(VENV)/dev.stamp: $(BIN)/python requirements/dev.txt pyproject.toml
	@echo "installing the development packages"
	@$(PIP) install --no-deps --no-compile --require-hashes --only-binary :all: -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation --no-compile -e .
	@touch $@ $(VENV)/core.stamp

.cache/data/.stamp: requirements/data.txt tools/fetch_data.py | $(VENV)/dev.stamp
	@$(BIN)/python tools/fetch_data.py
	@touch $@

setup: $(VENV)/dev.stamp .cache/data/.stamp

demo: $(VENV)/core.stamp
	@$(BIN)/python tools/demo.py

# ---------------------------------------------------------------- checks

test: setup lint types contracts tests

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy
	$(BIN)/pyright --warnings

contracts: setup
	$(BIN)/lint-imports --no-cache

tests: setup
	$(BIN)/python -m pytest -q -n auto --dist worksteal --durations 10 $(ARGS)

soak: setup
	GRAINLINE_EXAMPLES=random $(BIN)/python -m pytest -q -m soak $(ARGS)

# ---------------------------------------------------------------- rewrites

fix: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: setup
	GRAINLINE_GOLDEN=rewrite $(BIN)/python -m pytest -q tests $(ARGS)

docs: setup
	$(BIN)/python tools/docs.py

lock: setup
	tools/lock.sh

# ---------------------------------------------------------------- figures

bench: setup
	$(BIN)/python bench/counts.py --mirror "$(MIRROR)"
	$(BIN)/python bench/speed.py --mirror "$(MIRROR)"
	$(BIN)/python bench/versions.py --bench "$(BENCH)" --mirror "$(MIRROR)"
	$(BIN)/python -m grainline.lab run --bench "$(BENCH)" --mirror "$(MIRROR)" --set nl2func --strategy grainline --strategy baseline
	$(BIN)/python -m grainline.lab report

RESULTS ?= .cache/lab
EXPERIMENTS := builtin freshness writing strategies units path size weights rules profiles ranking texts sizes pieces overlap \
    expansion formats

lab: setup
	@for name in $(EXPERIMENTS); do \
	    $(BIN)/grainline lab run $$name --results "$(RESULTS)" --bench "$(BENCH)" --mirror "$(MIRROR)" --present || exit 1; done
	@$(MAKE) --no-print-directory lab-report

lab-report: setup
	$(BIN)/python tools/lab_report.py --results "$(RESULTS)" --html "$(RESULTS)/report.html"

lab-smoke: setup
	$(BIN)/python -m pytest -q tests/test_lab_smoke.py $(ARGS)

clean:
	rm -rf .venv .cache
