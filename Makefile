# make demo: the whole pipeline on the embedded world. make test: everything that must hold.
PYTHON ?= python3
VENV := .venv
SENTENCES ?= results/datasets/shapes/expressions.parquet
SLURM_PACKAGES := slurm-wlm munge slurmdbd mariadb-server
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: bench bench-parsers demo faults fuzz load miniature report slurm-test test lint lock schema clean

demo: $(VENV)/installed
	@# No shell stands between make and Snakemake, so that what is told to end is Snakemake.
	$(VENV)/bin/snakemake --workflow-profile workflow/profiles/demo demo
	@jvgn summary results/shapes_gt results/shapes_det

# One page that tells the whole story of finished runs and needs no network: make report RUNS=refcocog_det TABLES=table1
# REPORT=report.zip has the galleries inside.
RUNS ?= shapes_gt shapes_det
REPORT ?= report.html
REPORTED = $(RUNS:%=results/%/report/results.html) $(TABLES:%=results/tables/%.html)
report: $(VENV)/installed
	@# First brings up to date what the page will show.
	$(VENV)/bin/snakemake --workflow-profile workflow/profiles/demo $(REPORTED)
	snakemake --quiet all --report $(REPORT) $(REPORTED)
	@echo "$(REPORT)  open it in a browser"

test: lint
	pytest -n 2 --dist loadfile --no-loadscope-reorder

# The paper's experiments, from downloads to numbers, on little files in the published formats from a server of our own.
miniature: $(VENV)/installed
	JVGN_MINIATURE=1 pytest tests/long/miniature

# A real SLURM on this machine, for as long as the tests take: root, and Debian's packages of it.
slurm-test: $(VENV)/installed
	dpkg --status $(SLURM_PACKAGES) > /dev/null 2>&1 || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SLURM_PACKAGES) > /dev/null; }
	JVGN_SLURM=1 pytest tests/long/slurm

# How fast the core and the extraction of regions are, beside their references; for an idle machine.
bench: $(VENV)/installed
	python -m tests.long.bench results/bench

# Time, memory and progress messages of the stages as a dataset grows to 200,000 expressions; for an idle machine.
load: $(VENV)/installed
	python -m tests.long.load results/load

# Faults at random moments of all stages (killed jobs, full disks, damaged files), and whether the rerun gives the same results.
FAULTS ?= --faults 200 --each "disk fills" --whole 12
faults: $(VENV)/installed
	python -m tests.long.faults $(FAULTS)

# Ten thousand damaged files of every kind that a command reads: no traceback, crash, hang or code that runs.
fuzz: $(VENV)/installed
	python -m tests.long.fuzz --inputs 10000

lint: $(VENV)/installed
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	lint-imports
	snakemake --lint

$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("JVGN needs Python 3.11 or newer: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --require-hashes --requirement requirements.lock
	$(VENV)/bin/pip install --no-deps --no-build-isolation --editable .
	@touch $@

# Exact versions of everything, from the ranges in pyproject.toml.
lock: $(VENV)/installed
	uv pip compile --universal --python-version 3.11 --extra dev --generate-hashes --quiet \
		--custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

# Expressions a second on one core and on two: make bench-parsers SENTENCES=file.txt
bench-parsers: $(VENV)/installed
	$(VENV)/bin/python -m parsers bench $(SENTENCES)

schema: $(VENV)/installed
	jvgn schema workflow/schemas/config.schema.json

clean:
	rm -rf $(VENV)
