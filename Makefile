# SPDX-License-Identifier: Apache-2.0
# Two commands for a fresh machine: make run, make test. Both install what is missing first.

export PATH := $(PATH):$(HOME)/.cargo/bin
.DEFAULT_GOAL := help
.PHONY: help run test setup book bench-board bench-kernel bench-threads bench-forkjoin bench-linux bench-placement bench-dataflow bench-isolation fmt clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

run: setup ## build the flight controller, run it on the board, print its table and verdict
	./takt run examples/rosace/system.toml

test: setup ## run every test
	tests/run

setup: ## install what is missing
	@tools/setup

book: setup ## build the book into docs/book
	mdbook build docs

bench-board: setup ## how fast the modelled board is here: bench/results/board.json
	cargo build --release --quiet --bin takt
	cargo run --release --quiet -p takt-board --example bench-board

bench-kernel: setup ## what the kernel costs and how it scales on tile72: bench/results/kernel.json and its plots; QUICK=1: that it builds and runs
	cargo build --release --quiet --bin takt
ifdef QUICK
	bench/kernel/quick.py
else
	@tools/setup --bench
	mkdir -p build/bench-kernel docs/src/kernel-speed
	build/bench-python/bin/snakemake -s bench/kernel/Snakefile -d build/bench-kernel -j $$(nproc) \
	    --rerun-incomplete --rerun-triggers mtime --keep-going --quiet rules host
endif

bench-threads: setup ## programs with pthreads and the heap on 1 to 72 cores (an hour or more): bench/results/threads.json and its plots
	cargo build --release --quiet --bin takt
	bench/threads/run.py
	bench/threads/plot.py

bench-forkjoin: setup ## what fork and join take on xeon40 and tile72: bench/results/forkjoin.json
	cargo build --release --quiet --bin takt
	bench/forkjoin/run.py

bench-linux: setup ## the programs of bench-forkjoin and bench-threads on Linux with PREEMPT_RT, and the empty loop without, on the same boards (hours): bench/results/linux.json
	@tools/setup --linux
	cargo build --release --quiet --bin takt
	bench/linux/run.py
	bench/linux/run.py --kernel stock --only empty

bench-placement: setup ## tasks, switches, messages and a program under each placement of the kernel on sara: bench/results/placement.json, tasks.json, channels.json, salesman.json and their plots; QUICK=1: that it builds and runs
	cargo build --release --quiet --bin takt
	bench/placement/run.py $(if $(QUICK),--quick)
	bench/placement/tasks.py $(if $(QUICK),--quick)
	bench/placement/channels.py $(if $(QUICK),--quick)
	bench/placement/salesman.py $(if $(QUICK),--quick)
	$(if $(QUICK),,bench/placement/plot.py)

bench-isolation: setup ## loads from memory and a task beside 0 to 7 other cores, of one bank and of banks of their own, without budgets and with: bench/results/isolation.json and its plots
	cargo build --release --quiet --bin takt
	bench/isolation/run.py

bench-dataflow: setup ## the critical paths of the dataflow examples, beside those of the article: bench/results/dataflow.json
	cargo build --release --quiet --bin takt
	bench/dataflow/run.py

fmt: ## format all sources
	cargo fmt --all
	git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp' '*.cc' | xargs -r clang-format -i

clean: ## remove all that was built
	rm -rf target build docs/book
