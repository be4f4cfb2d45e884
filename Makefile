# The project's tasks. `make help` lists them; everything sets itself up.
.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin

.PHONY: help
help: ## List the tasks
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: ## Set up, study the links that ship with the project, and show the report
	@scripts/setup
	@$(BIN)/airtcp study demo --out out/demo --force $(if $(DISPLAY),--open,)

.PHONY: test test-rust test-python
test: ## Set up and run every test; the Python tests run beside those in Rust
	@scripts/setup dev
	@scripts/explorer
	@$(MAKE) --no-print-directory --jobs $$(getconf _NPROCESSORS_ONLN) test-rust test-python

# One profile, so that every crate is compiled once: as the optimiser leaves it, with assertions and overflow checks.
# Cargo chooses its own number of jobs. The extension has no Rust tests, and clippy compiles the examples.
CARGO_TEST = env -u MAKEFLAGS -u MFLAGS cargo test --profile checked --workspace --locked --exclude airtcp-py
test-rust:
	$(CARGO_TEST) --lib --tests
	$(CARGO_TEST) --doc

# In as many processes as there are cores: what the tests in Rust leave idle is used, and all of it once they end.
test-python:
	$(BIN)/python -m pytest --numprocesses $$(getconf _NPROCESSORS_ONLN) --dist worksteal

.PHONY: lint lint-rust lint-python
lint: ## Formatting, lints, types, licences, generated files
	@scripts/setup dev
	@$(MAKE) --no-print-directory lint-rust
	@$(MAKE) --no-print-directory lint-python

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

lint-python:
	$(BIN)/ruff format --check papers python tests/python
	$(BIN)/ruff check papers python tests/python
	$(BIN)/pyright
	scripts/licences
	scripts/generated --check

.PHONY: advisories
advisories: ## Hold the dependencies against the advisory databases (needs the network)
	scripts/advisories --install --require

.PHONY: format
format: ## Format everything
	@scripts/setup dev
	cargo fmt --all
	$(BIN)/ruff format papers python tests/python

.PHONY: generated
generated: ## Write the generated files again (JSON Schemas, demo links)
	@scripts/setup dev
	scripts/generated

.PHONY: bench
bench: ## Measure speed, also against ns-3 and ns-2, and size; prints tables
	@scripts/setup dev
	benches/peers
	benches/run
	benches/wifi
	benches/instructions
	cargo run --quiet --release --locked -p airtcp-sliding --example control -- --short

# With libFuzzer where a nightly toolchain and cargo-fuzz are installed, else the tests' own mutations.
FUZZ_SECONDS ?= 600
FUZZ_RUNS ?= 1000000

.PHONY: fuzz
fuzz: ## Fuzz every target for a night: FUZZ_SECONDS each, or FUZZ_RUNS inputs without cargo-fuzz
	@scripts/setup dev
	@if cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  cd fuzz && for t in $$(cargo +nightly fuzz list); do cargo +nightly fuzz run $$t -- -max_total_time=$(FUZZ_SECONDS) || exit 1; done; \
	else \
	  echo "no nightly toolchain with cargo-fuzz: $(FUZZ_RUNS) mutated inputs a target, without sanitizers"; \
	  AIRTCP_FUZZ_RUNS=$(FUZZ_RUNS) cargo test --locked -p airtcp-testkit --test fuzz || exit 1; \
	fi
	AIRTCP_FUZZ_RUNS=$(FUZZ_RUNS) $(BIN)/python -m pytest tests/python/test_fuzz.py

.PHONY: explorer
explorer: ## Build the web page that runs the simulator: out/explorer/index.html
	@scripts/explorer

.PHONY: figures
figures: ## Make the documentation's figures and tables again, or those in NAMES
	@scripts/setup dev
	@scripts/figures $(NAMES)

.PHONY: wheel
wheel: ## Build the wheel and the source distribution into dist/, and try the wheel without Rust
	@scripts/wheel --test

.PHONY: site
site: ## Build the documentation's site in out/site; a warning is an error
	@scripts/setup dev
	@$(BIN)/python scripts/site

.PHONY: clean
clean: ## Remove everything that was built
	rm -rf .venv target out dist python/airtcp/*.so
