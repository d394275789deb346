# Everything works on a fresh clone; Python 3.11 or later is all it needs. The environment is made in .venv when a target
# first asks for it, and again only when setup.cfg or constraints.txt changed.

VENV := .venv
BIN := $(VENV)/bin
# The first interpreter that runs, is new enough and can make environments; PYTHON=/path/to/python decides otherwise.
PYTHON = $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	command -v $$python; break; fi; done)
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

SEEDS ?= 300
# The compiled wheel, unpacked. COMPILED=1: tests, simulation and benches run its modules, not the sources beside them.
UNPACKED := $(CURDIR)/.compiled
TESTED = $(VENV)/.tested $(if $(COMPILED),$(UNPACKED)/.made)
RUN = $(if $(COMPILED),PYTHONPATH=$(UNPACKED) PYTHONSAFEPATH=1) $(BIN)
# One worker more than there are processors: many tests wait for processes that they start.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(RUN)/pytest $(if $(COMPILED),--compiled) -n $(WORKERS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help device wheel run demo demo-jms demo-everyplace demo-learn test bench bench-full test-compiled simulate hostile tls killed soak mutation lint types coverage-of-spec conformance diagrams layouts clean

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

device: $(VENV)/bin/python ## dist/mqe.pyz: program and library for devices in one file, of the standard library alone
	@$(BIN)/python packaging/device.py

wheel: $(VENV)/bin/python ## dist/*.whl, compiled by mypyc for this Python and machine; needs a C compiler and the headers of Python
	@MQBRIDGE_COMPILE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

run: $(VENV)/.installed ## a queue manager with the sample configuration; LISTEN=tcp:1415:interface=127.0.0.1 where 1414 is taken
	@$(BIN)/mqbridge run --config examples/queue-manager.toml $(if $(LISTEN),--listen '$(LISTEN)')

demo: $(VENV)/.installed ## two queue managers, killed and cut off while 10,000 messages travel; ends with a table
	@$(BIN)/python examples/demo

demo-jms: $(VENV)/.installed ## a link to Apache Artemis, both ends killed while messages of all JMS types travel; needs Java 17, Maven, a C compiler
	@$(BIN)/python examples/demo_jms/needed.py
	@$(BIN)/python -c 'import proton' 2>/dev/null || \
		{ echo "Compiling the AMQP engine python-qpid-proton, once" >&2; $(PIP_INSTALL) --editable '.[amqp]'; }
	@$(BIN)/python examples/demo_jms

demo-everyplace: $(VENV)/.installed ## twelve devices on a bad line, a gateway and MQ behind it, killed and cut off; ends with a table
	@$(BIN)/python examples/demo_everyplace

demo-learn: $(VENV)/.installed ## a host whose protocol nobody has described: recorded, learnt, checked, played, and reached from MQ; ends with a table
	@$(BIN)/python -c 'import numpy' 2>/dev/null || $(PIP_INSTALL) --editable '.[learn]'
	@$(BIN)/python examples/demo_learn

test: lint types ## lint, types and the whole test suite
	@$(PYTEST)

test-compiled: COMPILED = 1
test-compiled: $(VENV)/.tested $(UNPACKED)/.made ## the test suite on the compiled wheel; TESTS=tests/unit of it. COMPILED=1 has simulate, hostile, tls and killed do so too
	@$(PYTEST) $(TESTS)

bench: $(TESTED) ## every benchmark, short form; ends with one table of figures; COMPILED=1: of the compiled wheel
	@$(RUN)/python bench/all.py

bench-full: $(TESTED) ## the same, long form
	@$(RUN)/python bench/all.py --full

simulate: $(TESTED) ## the fault simulation: SEEDS=10000 of them, or SEED=n with its event log; CLIENTS=1: of clients; LINKS=1: of a link; ROUTES=1: of routes; EVERYPLACE=1: of devices and gateways; MYOPENQ=1: of remote queues; TLS=1: inside TLS
	@$(RUN)/python tests/simulation/simulate.py $(if $(CLIENTS),--clients) $(if $(LINKS),--links) $(if $(ROUTES),--routes) $(if $(EVERYPLACE),--everyplace) $(if $(MYOPENQ),--myopenq) $(if $(TLS),--tls) $(if $(SEED),--seed $(SEED),--seeds $(SEEDS))

hostile: $(TESTED) ## the hostile tests in their long forms: thousands of damages, storms of minutes
	@$(PYTEST) tests/hostile --long --timeout=3600

tls: $(TESTED) ## channels inside TLS in long forms: every generation of IBM's clients, hundreds of seeds
	@$(PYTEST) tests/interop/tls tests/simulation/test_exactly_once_tls.py tests/interop/bridge/test_sigkill.py --long --timeout=900

killed: $(TESTED) ## SIGKILL at any moment, 20 rounds each: links with both their ends, routes, a gateway under its devices, a device, managers of MyOpenQ; Ctrl-C in the demos of links and devices
	@$(PYTEST) tests/interop/links/test_killed_links.py tests/interop/bridge/test_killed_routes.py tests/interop/bridge/test_killed_everyplace.py tests/interop/bridge/test_killed_myopenq.py tests/interop/everyplace/test_killed_device.py tests/interop/examples/test_demo_jms.py tests/interop/examples/test_demo_everyplace.py tests/scenarios/test_sc_05_killed.py --long --timeout=300

soak: $(VENV)/.tested ## devices, gateway and MQ with cuts and crashes: an hour simulated, then MINUTES=10 in real time
	@SOAK_MINUTES=$(or $(MINUTES),10) $(BIN)/pytest tests/scenarios/test_sc_40.py tests/interop/bridge/test_everyplace_soak.py --long --timeout=18000

mutation: $(VENV)/.tested ## mutate the channel machines, the session's door and the store: MOST=60 mutants of each, SEED=1
	@$(PIP_INSTALL) --editable '.[mutation]'
	@$(BIN)/python tests/mutation/mutate.py $(if $(MOST),--most $(MOST)) $(if $(SEED),--seed $(SEED))

lint: $(VENV)/.tested ## ruff
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .

types: $(VENV)/.tested ## mypy
	@$(BIN)/mypy --no-error-summary

coverage-of-spec: $(VENV)/.tested ## which numbers of the protocol notes the tests cite, and which not
	@$(BIN)/pytest --spec-coverage --quiet

conformance: $(VENV)/.tested ## write docs/conformance.md: our machines beside the recorded traffic of real products
	@$(BIN)/python docs/write_conformance.py

diagrams: $(VENV)/.installed ## draw the state diagrams in docs/ from the transition tables
	@$(BIN)/python docs/draw_diagrams.py

layouts: $(VENV)/.installed ## write protocol/layouts, the record classes of structures, from their grammars
	@$(BIN)/python packaging/write_layouts.py

clean: ## remove the environment and everything that was made
	rm -rf $(VENV) $(UNPACKED) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "mqbridge needs Python 3.11 or later with its venv module (Debian: python3-venv)" >&2; exit 1; }
	@echo "Making the Python environment in $(VENV), once" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: setup.cfg pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.tested: setup.cfg pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP_INSTALL) --editable '.[test,spark]'
	@touch $@ $(VENV)/.installed

$(UNPACKED)/.made: $(shell find protocol mappings bridge captures mqbridge packaging -name '*.py') setup.cfg | $(VENV)/.tested
	@echo "Compiling the wheel that is tested, in some minutes" >&2
	@rm -rf $(UNPACKED)
	@MQBRIDGE_COMPILE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(UNPACKED)/wheel .
	@$(PIP_INSTALL) --no-deps --target $(UNPACKED) $(UNPACKED)/wheel/*.whl
	@touch $@
