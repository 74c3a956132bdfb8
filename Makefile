# `make demo` and `make test` are all you need; `make` alone lists the rest.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 300

# Warnings are errors in continuous integration only: a newer compiler must not stop a user's build.
WERROR := $(if $(filter true,$(CI)),ON,OFF)
CONFIGURE = cmake -DSINEW_WARNINGS_AS_ERRORS=$(WERROR) >/dev/null --preset
BUILD = cmake --build -j $(JOBS) --preset

.DEFAULT_GOAL := help
.PHONY: help demo test validate clang fuzz agreement bench bench-viewer gallery gallery-docs install format format-check lint asan tsan clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo:  ## Build, test whether muscle mass matters for a run, write the answer to out/demo/
	@scripts/install_packages.sh build
	@$(CONFIGURE) release
	@$(BUILD) release --target sinew_cli
	@scripts/demo.sh

test:  ## Build and run all tests except the long ones
	@scripts/install_packages.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release
	@ctest --preset release -j $(JOBS)

validate:  ## Run long tests: convergence, references, long runs, accuracies, killed runs, random excitations
	@scripts/install_packages.sh build test
	@$(CONFIGURE) release -DSINEW_LONG_TESTS=ON
	@$(BUILD) release
	@ctest --preset validate -j $(JOBS)
	@scripts/kill_runs.py build/release/bin/sinew
	@scripts/accuracy_runs.py build/release/bin/sinew
	@scripts/sweep_runs.py build/release/bin/sinew
	@scripts/random_runs.py build/release/bin/sinew models/leg/leg.osim \
		$(wildcard $(SINEW_REFERENCE_DIR)/opensim/models/*.osim $(SINEW_REFERENCE_DIR)/runners/*/Models/final.osim)
	@scripts/random_runs.py build/release/bin/sinew muscle-pendulums swing-leg wrap-surfaces rat-knee knee-spline \
		leg-spline-knee leg-fitted-knee knee-fitted finger-flick pai-fall wrap-family-network --runs 20
	@scripts/random_runs.py build/release/bin/sinew hop-leg running-leg knee-spline knee-revolute leg-spline-knee \
		leg-fitted-knee knee-fitted --excitation --runs 20

clang:  ## Build and run the tests with clang, the second compiler
	@scripts/install_packages.sh build test clang
	@$(CONFIGURE) clang
	@$(BUILD) clang
	@ctest --preset clang -j $(JOBS)

fuzz:  ## Feed broken files to every reader, FUZZ_SECONDS (300) each, with sanitisers; once blindly, once guided by coverage
	@scripts/install_packages.sh build clang
	@$(CONFIGURE) asan
	@$(BUILD) asan --target fuzz_scenes fuzz_files fuzz_readers
	@build/asan/bin/fuzz_scenes --seconds $(FUZZ_SECONDS) --limit 120
	@build/asan/bin/fuzz_files --seconds $(FUZZ_SECONDS) --limit 120
	@scripts/fuzz.sh $(FUZZ_SECONDS)

agreement:  ## Print the agreement of models with OpenSim; needs SINEW_REFERENCE_DIR
	@scripts/install_packages.sh build
	@$(CONFIGURE) release
	@$(BUILD) release --target sinew_cli
	@scripts/opensim_agreement.py build/release/bin/sinew

bench:  ## Measure against MuJoCo, Simbody, DART and Bullet; table under benchmarks/results/
	@scripts/install_packages.sh build bench
	@$(CONFIGURE) bench
	@$(BUILD) bench
	@scripts/bench.sh

bench-viewer:  ## Measure the live viewer: frames per second, time from a slider to the picture; needs Chromium
	@scripts/install_packages.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release --target sinew_cli
	@node web/bench_viewer.mjs build/release/bin/sinew models/leg/leg.osim $(wildcard $(SINEW_REFERENCE_DIR)/opensim/models/Rajagopal2016.osim)

gallery:  ## Simulate every scene and model and draw it; page under out/gallery/
	@scripts/install_packages.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release --target sinew_cli
	@node web/gallery.mjs build/release/bin/sinew out/gallery

gallery-docs:  ## The same, and put small pictures of scenes and pages under docs/: look at them before you commit
	@scripts/install_packages.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release --target sinew_cli
	@node web/gallery.mjs build/release/bin/sinew out/gallery --docs docs/gallery
	@node web/page_pictures.mjs build/release/bin/sinew docs/pictures

install:  ## Install program, library, headers and scenes under PREFIX (/usr/local)
	@scripts/install_packages.sh build
	@$(CONFIGURE) release
	@$(BUILD) release
	@cmake --install build/release --prefix $(PREFIX)

format:  ## Format the sources in place
	@scripts/install_packages.sh test
	@scripts/format.sh

format-check:  ## Fail if a source is not formatted
	@scripts/install_packages.sh test
	@scripts/format.sh --check

lint:  ## Run clang-tidy on the files changed since BASE (main)
	@scripts/install_packages.sh build lint
	@scripts/lint.sh $(BASE)

asan tsan:  ## Build and run the tests with sanitisers: address and undefined, or thread
	@scripts/install_packages.sh build test clang
	@$(CONFIGURE) $@
	@$(BUILD) $@
	@ctest --preset $@ -j $(JOBS)

clean:  ## Remove all build results
	rm -rf build out
