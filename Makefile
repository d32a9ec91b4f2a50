# make demo: run the whole pipeline on the embedded world. make test: run all checks and tests.
PYTHON ?= python3
VENV := .venv
SENTENCES ?= results/datasets/shapes/expressions.parquet
SLURM_PACKAGES := slurm-wlm munge slurmdbd mariadb-server
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: bench bench-parsers browser demo faults fuzz install load miniature pictures report slurm-test test lint types style lock schema clean

install: $(VENV)/installed

demo: $(VENV)/installed
	@# Run Snakemake without a shell in between, so that Ctrl-C and SIGTERM reach it.
	$(VENV)/bin/snakemake --workflow-profile workflow/profiles/demo demo
	@jvgn summary results/shapes_gt results/shapes_gt/runs/rules results/shapes_det

# One page about finished runs, without network: make report RUNS=refcocog_det TABLES=table1
# REPORT=report.zip includes the galleries; CONFIGFILE=own.yaml is a file over config.yaml.
RUNS ?= shapes_gt shapes_det
REPORT ?= report.html
GALLERIES = $(if $(filter %.zip,$(REPORT)),--config galleries_in_report=true)
CONFIGURED = $(if $(CONFIGFILE),--configfile $(CONFIGFILE))
REPORTED = $(RUNS:%=results/%/report/results.html) $(TABLES:%=results/tables/%.html)
report: $(VENV)/installed
	$(VENV)/bin/snakemake --workflow-profile workflow/profiles/demo $(CONFIGURED) -- $(REPORTED)
	snakemake --quiet all $(GALLERIES) $(CONFIGURED) --report $(REPORT) -- $(REPORTED)
	@echo "$(REPORT)  open it in a browser"

# Draw the pictures of the README from a finished demo.
pictures: $(VENV)/installed
	cp results/shapes_det/examples.png docs/images/examples.png
	jvgn show results/shapes_det --images resources/shapes/images --output docs/images/show.png

test: lint
	pytest -n 2 --dist loadfile --no-loadscope-reorder

# The paper's experiments, from downloads to numbers, on small files in the published formats from a local server.
miniature: $(VENV)/installed
	JVGN_MINIATURE=1 pytest tests/long/miniature

# The pages in a real browser. Needs Debian's chromium and chromium-driver; screenshots go to screenshots/.
browser: $(VENV)/installed
	JVGN_BROWSER=1 pytest tests/long/browser

# Start a real SLURM on this machine for the tests. Needs root and Debian.
slurm-test: $(VENV)/installed
	dpkg --status $(SLURM_PACKAGES) > /dev/null 2>&1 || { apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(SLURM_PACKAGES) > /dev/null; }
	JVGN_SLURM=1 pytest tests/long/slurm

# Time the model and region extraction against reference implementations. For an idle machine.
bench: $(VENV)/installed
	python -m tests.long.bench results/bench

# Measure time and memory as a dataset grows to 200,000 expressions. For an idle machine.
load: $(VENV)/installed
	python -m tests.long.load results/load

# Disturb the workflow at random moments of every stage and compare its results. Takes half an hour.
FAULTS ?= --faults 200
faults: $(VENV)/installed
	python -m tests.long.faults $(FAULTS)

# Give damaged files of every kind to every reader: each must report one line and run no code.
fuzz: $(VENV)/installed
	python -m tests.long.fuzz --inputs 10000

lint: $(VENV)/installed
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types style

types: $(VENV)/installed
	mypy

style: $(VENV)/installed
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow
	lint-imports
	snakemake --lint

$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("JVGN needs Python 3.11 or newer: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --require-hashes --requirement requirements.lock
	$(VENV)/bin/pip install --no-deps --no-build-isolation --editable .
	@touch $@

# Resolve the ranges of pyproject.toml to exact versions.
lock: $(VENV)/installed
	uv pip compile --universal --python-version 3.11 --extra dev --generate-hashes --quiet \
		--custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

# Sentences a second on one core and on two: make bench-parsers SENTENCES=file.txt
bench-parsers: $(VENV)/installed
	$(VENV)/bin/python -m parsers bench $(SENTENCES)

schema: $(VENV)/installed
	jvgn schema workflow/schemas/config.schema.json

clean:
	rm -rf $(VENV)
