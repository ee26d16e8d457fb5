# Every target installs the Debian packages that it needs and are missing (scripts/setup), then does
# what `make help` says. JOBS=n sets the parallelism.
JOBS ?= $(shell nproc)
RELEASE := build/release
FUZZ_SECONDS ?= 60
CHAOS_SECONDS ?= 600
LISTEN ?= 127.0.0.1:8080
ADMIN ?= 127.0.0.1:8090
POLICY ?= examples/plans.yaml
PREFIX ?= /usr/local
# `sudo make install` builds as whoever owns the clone, or `make build` could not write there again.
OWNER := $(shell [ "$$(id -u)" != 0 ] || stat -c %U . | grep -v -e '^root$$' -e UNKNOWN)
AS_OWNER := $(if $(OWNER),runuser -u $(OWNER) -- env HOME=$(shell getent passwd $(OWNER) | cut -d: -f6))

.PHONY: help build run test test-all chaos bench lint format clean install

help:
	@echo 'make build      build/release/weir'
	@echo 'make run        build, then serve $(POLICY) on $(LISTEN); Ctrl-C stops it'
	@echo '                (POLICY=file LISTEN=addr:port ADMIN=addr:port)'
	@echo 'make test       build everything, run every suite'
	@echo 'make test-all   make test, then the sanitizers and $(FUZZ_SECONDS) s of each fuzz target'
	@echo 'make chaos      break a Redis under three processes for CHAOS_SECONDS=$(CHAOS_SECONDS) and count'
	@echo 'make bench      the performance targets; make bench ONLY=P8,P9 for some'
	@echo 'make lint       formatting, headers that compile alone, clang-tidy'
	@echo 'make format     clang-format, in place'
	@echo 'make install    into PREFIX=$(PREFIX) (DESTDIR is honoured)'
	@echo 'make clean      remove build/'

build:
	@scripts/setup build
	@cmake --preset release $(if $(wildcard $(RELEASE)/CMakeCache.txt),,-DWEIR_TESTS=OFF) >/dev/null
	@cmake --build $(RELEASE) -j $(JOBS) --target weir

run: build
	@exec scripts/run '$(POLICY)' '$(LISTEN)' '$(ADMIN)'

test:
	@scripts/setup test
	@scripts/check release

test-all: test
	@scripts/setup test fuzz
	@scripts/check asan
	@scripts/check tsan
	@scripts/fuzz $(FUZZ_SECONDS)

chaos: build
	@scripts/setup test
	@CHAOS_SECONDS=$(CHAOS_SECONDS) CHAOS_DEADLINE_MS=15 WEIR=$(RELEASE)/weir python3 test/e2e/chaos_test.py

bench:
	@scripts/setup bench
	@scripts/bench '$(ONLY)'

lint:
	@scripts/setup lint
	@scripts/lint

format:
	@scripts/setup lint
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

install:
	@scripts/setup build
	@$(AS_OWNER) cmake --preset release $(if $(wildcard $(RELEASE)/CMakeCache.txt),,-DWEIR_TESTS=OFF) >/dev/null
	@$(AS_OWNER) cmake --build $(RELEASE) -j $(JOBS) --target weir weir_limiter_archive \
	  weir_engine_archive weir_redis_archive
	@cmake --install $(RELEASE) --prefix '$(PREFIX)'

clean:
	@rm -rf build
