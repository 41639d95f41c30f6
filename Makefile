# Wrappers around go; `make` prints what there is.
BIN     := bin/almanac
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
GO      ?= go
LINT     = $(GO) tool -modfile=.ci/tools/go.mod golangci-lint

.DEFAULT_GOAL := help
.PHONY: help build run test test-long race fuzz lint golden client bench torture ui ui-check ui-test screens ci

help: ## what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the binary, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o $(BIN) ./cmd/almanac

run: build ## plan today from examples/ and run what is due, at http://127.0.0.1:8080
	$(BIN) serve examples --dev

test: ## every test, with few drawn cases; what was not run is told at the end
	$(GO) vet ./...
	$(GO) run ./bench/tests -timeout 25m ./...

test-long: ## every test, with many drawn cases
	$(GO) vet ./...
	ALMANAC_TEST_EFFORT=long $(GO) run ./bench/tests -timeout 45m ./...

race: ## every test under the race detector
	$(GO) test -race ./...

# A number of inputs, not a time: at the end of a time go test says now and then that it failed (golang/go#75804).
FUZZ ?= 3000x

fuzz: ## each fuzz target of web/azure with FUZZ inputs, beyond the corpora that `make test` runs
	@set -e; targets=$$($(GO) test ./web/azure -list '^Fuzz' | grep '^Fuzz'); for target in $$targets; do \
		$(GO) test ./web/azure -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) -fuzzminimizetime 20x; \
	done

lint: ## formatting, vet, golangci-lint, tidy
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	$(GO) mod tidy -diff
	$(LINT) run ./...

golden: ## rewrite the golden files; read the difference before you commit it
	$(GO) test ./web -run 'Description' -update
	$(MAKE) client
	$(GO) test ./cmd/almanac ./engine ./engine/spec ./store ./web -update
	$(MAKE) ui

UI = npm --prefix web/ui

web/ui/node_modules/.package-lock.json: web/ui/package-lock.json
	$(UI) ci --no-audit --no-fund --ignore-scripts
	@touch $@

ui: web/ui/node_modules/.package-lock.json ## the web UI: types out of web/openapi.json, then web/dist out of web/ui
	$(UI) run types
	$(UI) run build

ui-check: ui ## lint and unit tests of the UI; fails when the types or web/dist in the repository are not what is built
	$(UI) run lint
	$(UI) test
	@test -z "$$(git status --porcelain -- web/dist web/ui/src/api/schema.ts)" || { git status --short -- web/dist web/ui/src/api/schema.ts; \
		echo 'commit what `make ui` builds'; exit 1; }

ui-test: ui-check build ## the UI as a person uses it: in Chromium, against the real binary
	$(UI) run e2e

screens: build ## the pictures of docs/ui.md, in Chromium
	$(UI) run screens

client: ## generate web/client from web/openapi.json
	cd .ci/client && $(GO) tool oapi-codegen -config config.yaml ../../web/openapi.json
	cat web/openapi.json .ci/client/config.yaml .ci/client/*.tmpl .ci/client/go.mod web/client/client.gen.go | sha256sum | cut -d' ' -f1 > web/client/generated.sha256

bench: build ## the figures of bench/README.md, with their peers beside them
	$(GO) run ./bench

SEEDS ?= 1..20000
KILLS ?= 300

torture: ## the long runs of docs/reliability.md; SEED=n repeats one seed of the simulator
ifdef SEED
	$(GO) run ./bench/sim -seeds $(SEED) -v
else
	$(GO) run ./bench/sim -seeds $(SEEDS)
	ALMANAC_TEST_EFFORT=long $(GO) run ./bench/tests -timeout 2h ./...
	$(GO) run -tags planted ./bench/sim -planted all
	$(GO) test -tags planted ./store -run Planted -count=1 -v -timeout 1h
	$(GO) test ./store -run PowerLoss -count=1 -v -powerloss.rounds 10
	$(GO) test ./store -run ALockOfAnotherProgram -count=1 -v -lock.held 60s
	$(GO) run ./bench/torture kill -kills $(KILLS)
	$(GO) run ./bench/torture restart
	$(GO) run ./bench/torture soak -minutes 60
endif

ci: test-long fuzz lint ui-test ## what .ci/run does
