# Python 3.11 or newer and make are all that a fresh machine needs; everything else goes into .venv.
PYTHON ?= python3
# Three at a time on two cores, since many tests wait. The order of the files is that of tests/conftest.py.
PYTEST_ARGS ?= -n 3 --dist loadfile --no-loadscope-reorder
# quick: all but those marked slow (tests of minutes, generated clients, builds). all: these, too.
TESTS ?= quick
SELECT_quick :=
SELECT_all := -m 'not soak'
ifeq ($(TESTS),all)
export MONTEGO_DIFFERENTIAL_GAMES ?= 40
endif
PYTEST = $(if $(filter quick all,$(TESTS)),,$(error TESTS is quick or all, not $(TESTS)))$(BIN)/python -m pytest $(SELECT_$(TESTS)) $(PYTEST_ARGS)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCKED := pyproject.toml constraints.txt setup.py
# MONTEGO_COMPILE=1: the rules' core and the bots' search are compiled (mypyc; needs a C compiler), from the same source, and again
# when that has changed. `make clean` undoes it.
ifeq ($(MONTEGO_COMPILE),1)
BUILD_TOOLS = $(PIP) install --quiet --constraint constraints.txt 'setuptools>=77' mypy
BUILD_FLAGS := --no-build-isolation
LOCKED += $(VENV)/.compiled
else
BUILD_TOOLS := @:
endif
# What an installation was made from: a copied or moved folder has scripts that still point to the old place.
HERE := $(VENV)/.made-in

SOURCES := service workers bots tests

.DEFAULT_GOAL := help
# The scripts of the pages that are not our own. Their hashes are in service/web/static/htmx.sha256.
HTMX := htmx.org@4.0.1

# The script of the reference of the API that is not our own. Its hash is in service/api/static/redoc.sha256.
REDOC := redoc@2.5.4

.PHONY: htmx redoc examples picture help install demo test test-all check failover soak mutants format bench bench-peers lock clean

help:
	@echo 'make install      everything for working on the project, into $(VENV)'
	@echo 'make demo         a few games between reference bots, then four bots play a round robin over HTTP, ending with the standings'
	@echo 'make test         the tests, without those of minutes'
	@echo 'make test-all     the tests, with those of minutes (generated clients, compiled build, examples in every language)'
	@echo 'make check        format, lint, types, import rules, tests (with those of minutes: make check TESTS=all)'
	@echo 'make failover     kills the master of a Redis with Sentinels in the middle of a tournament, and says what comes of it'
	@echo 'make soak         a tournament with many kills at random moments'
	@echo 'make mutants      how many small faults in the code its tests catch; hours, and goes on where it was ended (MUTANTS=engine)'
	@echo 'make format       formats the sources'
	@echo 'make bench        measures, prints a table, writes build/bench.json'
	@echo 'make bench-peers  the same, next to other game libraries'
	@echo 'make lock         renews constraints.txt from pyproject.toml'
	@echo 'make htmx         fetches the scripts of $(HTMX) anew, and checks their hashes'
	@echo 'make redoc        fetches the script of $(REDOC) anew, and checks its hash'
	@echo 'make examples     records the examples of the OpenAPI document anew, from a running service'
	@echo 'make picture      draws the picture of the README anew: a position of a game between reference bots'
	@echo 'make translations puts new texts of the pages into the catalogues of service/presentation/translations, to be translated'
	@echo 'make clean        removes $(VENV) and all that was built'

install: $(VENV)/.installed-dev

demo: $(VENV)/.installed
	$(BIN)/montego rungs --quick
	$(BIN)/montego demo

test: $(VENV)/.installed-dev
	$(PYTEST)

test-all:
	@$(MAKE) --no-print-directory test TESTS=all

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports
	$(PYTEST)

failover: $(VENV)/.installed-dev
	$(BIN)/python -m tests.e2e.failover

soak: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m soak --capture=no $(SOAK_ARGS)

mutants: $(VENV)/.installed-mutants
	$(BIN)/python -m tests.mutants $(MUTANTS)

format: $(VENV)/.installed-dev
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

bench: $(VENV)/.installed-dev
	@mkdir -p build
	$(BIN)/python -m tests.benchmarks

bench-peers: $(VENV)/.installed-peers
	@mkdir -p build
	$(BIN)/python -m tests.benchmarks --peers

lock: $(VENV)/.installed-dev
	CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --upgrade --all-extras --strip-extras --no-emit-index-url --no-emit-find-links \
		--no-emit-trusted-host --no-emit-options --output-file constraints.txt pyproject.toml

htmx:
	@mkdir -p build/htmx
	cd build/htmx && npm pack --silent $(HTMX) >/dev/null && tar -xzf htmx.org-*.tgz
	cp build/htmx/package/dist/htmx.min.js build/htmx/package/dist/ext/hx-sse.min.js service/web/static/
	cd service/web/static && sha256sum --check htmx.sha256

redoc:
	@mkdir -p build/redoc
	cd build/redoc && npm pack --silent $(REDOC) >/dev/null && tar -xzf redoc-*.tgz
	cp build/redoc/package/bundles/redoc.standalone.js build/redoc/package/bundles/redoc.standalone.js.LICENSE.txt service/api/static/
	cd service/api/static && sha256sum --check redoc.sha256

examples: $(VENV)/.installed-dev
	$(BIN)/python -m tests.api.examples

picture: $(VENV)/.installed-dev
	$(BIN)/python -m tests.web.readme_picture

translations:
	@mkdir -p build
	$(BIN)/pybabel -q extract -F service/presentation/translations/babel.cfg -k _n:1,2 -k _p:1c,2 --no-location --omit-header --sort-output -o build/messages.pot service/presentation service/report service/web
	for language in es ko; do $(BIN)/pybabel -q update -i build/messages.pot -l $$language -o service/presentation/translations/$$language.po --no-fuzzy-matching --ignore-obsolete --width 120; done

clean:
	find service bots -name '*.so' -delete
	rm -f montego_bay__mypyc.*.so
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

ifneq ($(shell cat $(HERE) 2>/dev/null),$(CURDIR))
.PHONY: $(HERE)
endif

$(HERE):
	@command -v $(PYTHON) >/dev/null || { echo 'error: $(PYTHON) was not found: install Python 3.11 or newer, or name it: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("error: Python 3.11 or newer is needed, and $(PYTHON) is %d.%d: install one, or name it: make PYTHON=python3.12" % v[:2])'
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo 'error: $(PYTHON) has no venv module: install it (on Debian and Ubuntu: apt-get install python3-venv)' >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@echo '$(CURDIR)' >$@

# Newer than an installation that was not compiled, or was from other sources.
$(VENV)/.compiled: $(wildcard service/engine/core/*.py bots/search/*.py) | $(HERE)
	@touch $@

$(VENV)/.installed: $(LOCKED) | $(HERE)
	@echo 'Installing into $(VENV); the first time takes about a minute ...'
	$(BUILD_TOOLS)
	@$(PIP) install --quiet $(BUILD_FLAGS) --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.installed-dev: $(LOCKED) | $(HERE)
	@echo 'Installing into $(VENV), tools for development included; the first time takes a minute or two ...'
	$(BUILD_TOOLS)
	@$(PIP) install --quiet $(BUILD_FLAGS) --constraint constraints.txt --editable '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-peers: $(LOCKED) | $(HERE)
	@echo 'Installing into $(VENV), the game libraries to compare with included; a few minutes ...'
	$(BUILD_TOOLS)
	@$(PIP) install --quiet $(BUILD_FLAGS) --constraint constraints.txt --editable '.[dev,peers]'
	@touch $(VENV)/.installed $(VENV)/.installed-dev $@

$(VENV)/.installed-mutants: $(LOCKED) | $(HERE)
	@echo 'Installing into $(VENV), a library that makes mutants included; a minute or two ...'
	$(BUILD_TOOLS)
	@$(PIP) install --quiet $(BUILD_FLAGS) --constraint constraints.txt --editable '.[dev,mutants]'
	@touch $(VENV)/.installed $(VENV)/.installed-dev $@
