# The verbs of the project. `make help` lists them.
SHELL := /bin/bash -o pipefail
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
GOTESTSUM := gotest.tools/gotestsum@v1.13.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The newest Go: releases are built with it, and nightly runs the tests with it, too.
NEWEST_GO := go1.27.3
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/svc

# The vault that credentials/server is tested against, and the mark of what was.
VAULT_VERSION := v1.21.1
VAULT         := $(CACHE)/vault-$(VAULT_VERSION)/vault
VAULT_TESTED  := credentials/server/testdata/tested-with-vault

# The servers of a cluster for development: a module of its own, as Temporal's server needs
# twice the modules that all the rest does.
CLUSTER_DEV := cmd/svc-cluster/dev

# ECMAScript's own tests, as they are at one commit.
TEST262_COMMIT := be13516fb6441b950ba8a3df97eb34062c186972
TEST262        := $(CACHE)/test262-$(TEST262_COMMIT)/test262

# The window. One set of flags everywhere: another one compiles the toolkit anew.
FYNE         := fyne.io/fyne/v2/cmd/fyne@v2.7.1
# Without animations nothing is painted while nothing happens: a blinking cursor paints
# the whole window 60 times a second.
DESKTOP_TAGS := migrated_fynedo,no_animations
PACKAGE      := dist/svc-desktop-$(VERSION)-linux-$(shell go env GOARCH).tar.xz

# Tests that need more than Go have a build tag, and are found by it: tagged returns the
# folders that have such tests. What they need, these variables tell them.
tagged    = $(shell grep -rlE --include='*_test.go' '^//go:build $(1)( |$$)' . | xargs -r -n1 dirname | sort -u)
E2E      := SVC_E2E_BIN=$(CURDIR)/bin SVC_E2E_PACKAGE=$(CURDIR)/$(PACKAGE) LANG=C.UTF-8
E2E_TEST = $(E2E) $(GO) test -count 1 -v -p 1 -timeout 60m
# tests runs packages $(1) with the flags $(2) and ends with what was skipped and what failed.
# RERUN=1 tries a test that failed once more, alone, and still tells of it: a machine with
# others on it may starve one of thousands. A data race or a panic is never tried again, nor
# are more than ten (a test counts once more for each level of its subtests).
RERUN    ?=
tests     = go run $(GOTESTSUM) $(if $(RERUN),--rerun-fails=$(RERUN) --rerun-fails-run-root-test --rerun-fails-abort-on-data-race) \
  --packages "$(1)" $(or $(3),--format pkgname-and-test-fails) -- $(2)
VERBOSE  := --format standard-verbose --hide-summary output

# Each other set of flags compiles everything anew, which takes minutes. So what can be built
# without C is, everywhere; only the race detector and the window need a C compiler.
GO       := CGO_ENABLED=0 LANG=C.UTF-8 go
TAGS     := migrated_fynedo
ALL_TAGS := ci,$(TAGS),e2e,vault,screenshots

# Where goroutines meet: what the race detector looks at, as it makes all four times as slow.
RACED := ./engine/... ./store/... ./app/... ./httpapi/... ./credentials/... ./cmd/internal/serving/... ./ui/job/... \
  $(addprefix ./nodes/,service/... trigger/... code/... apart/... sql/...)

# What test leaves out with RACE_COMES=1, as `make race` runs it afterwards: each test once.
RACE_COMES ?=
tested     = $(if $(RACE_COMES),$(shell $(GO) list -tags $(TAGS) ./... | grep -vxFf <($(GO) list -tags $(TAGS) $(RACED))),./ui ./nodes/mediacore ./store/postgres ./...)

# slowest prints the ten packages whose tests took longest, from gotestsum's record $(1).
slowest = sed -nE '/"Test":/d; s/.*"Action":"(pass|fail)","Package":"([^"]+)".*"Elapsed":([0-9.]+).*/\3 s  \2/p' $(1) | sort -rn | head -10

# What may be set: make soak FOR=1h ACTIONS=1000, make kills TIMES=1000, make hostile EACH=10s,
# make hostile-scripts SCRIPTS=300, make soak-cluster TIMES=0.1.
FOR     := 5m
ACTIONS := 100000
TIMES   := 500
EACH    := 2s
SCRIPTS := 10000

.DEFAULT_GOAL := help
.PHONY: help run build desktop package screenshots test race check bench bench-cluster bench-window audit conformance test262 hostile hostile-scripts soak kills e2e e2e-cluster soak-cluster e2e-vault vault-tested vault-sum fuzz golden translations nightly test-newest race-all

help: ## list the verbs
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

run: build ## start the server with its data in ./data
	bin/svc serve --data data

# No paths of this machine in the programs. The tests of e2e do without, as it compiles everything anew.
PATHS := -trimpath
e2e: PATHS :=

build: ## make bin/svc, the one-file server, bin/svc-cluster, the same on many machines, and bin/svc-sim, the networks to try it with
	CGO_ENABLED=0 go build $(PATHS) -ldflags '$(LDFLAGS)' -o bin/ ./cmd/svc ./cmd/svc-cluster ./cmd/svc-sim

desktop: ## make bin/svc-desktop, the editor; needs a C compiler, and on Linux the headers of X and OpenGL
	CGO_ENABLED=1 go build -tags $(DESKTOP_TAGS) -ldflags '$(LDFLAGS)' -o bin/ ./cmd/svc-desktop

package: desktop ## make dist/svc-desktop-….tar.xz, the editor to install on Linux
	rm -rf dist/package $(PACKAGE) && mkdir -p dist/package
	cp cmd/svc-desktop/FyneApp.toml cmd/svc-desktop/Icon.png dist/package/ # which the next line changes
	cd dist/package && go run $(FYNE) package --os linux --release --executable $(CURDIR)/bin/svc-desktop
	mv dist/package/Svc.tar.xz $(PACKAGE) && rm -r dist/package

screenshots: build desktop ## take the pictures in docs/screenshots, with simulated networks
	$(E2E_TEST) -tags screenshots $(call tagged,screenshots)
	pngquant --force --ext .png --speed 3 --nofs docs/screenshots/*.png

test: ## run the tests; needs no display and no C compiler
	@mkdir -p dist
	@CGO_ENABLED=0 LANG=C.UTF-8 $(call tests,$(tested),-timeout 40m -vet=off -ldflags=-w -tags $(TAGS),--format pkgname-and-test-fails --jsonfile dist/test.json); status=$$?; \
	  echo 'The slowest packages:'; $(call slowest,dist/test.json); exit $$status
	@echo 'Tests of their own: make race conformance test262 hostile kills soak e2e e2e-cluster e2e-vault fuzz, and make nightly for all of them'

race: ## run the tests of what goroutines share under the race detector; needs a C compiler
	CGO_ENABLED=1 LANG=C.UTF-8 $(call tests,$(RACED),-race -timeout 60m -vet=off -tags $(TAGS))

check: ## formatting, vet, lint and tidiness, and whether it compiles on other systems
	@test -z "$$(gofmt -l .)" || { echo 'not formatted:'; gofmt -l .; exit 1; }
	$(GO) vet -tags $(ALL_TAGS) ./...
	$(GO) run ./cmd/internal/typecheck -os windows -tags ci,$(TAGS) ./cmd/svc ./cmd/svc-cluster ./cmd/svc-sim ./cmd/svc-desktop
	$(GO) run ./cmd/internal/typecheck -os darwin -tags ci,$(TAGS) ./cmd/svc ./cmd/svc-cluster ./cmd/svc-sim
	CGO_ENABLED=0 go run $(GOLANGCI) run --allow-parallel-runners --build-tags $(ALL_TAGS) ./...
	GOTOOLCHAIN=$(NEWEST_GO) $(GO) run ./cmd/internal/typecheck -tags $(ALL_TAGS) ./...
	go mod tidy -diff
	cd $(CLUSTER_DEV) && go mod tidy -diff

# Where entries are added by benchmarks that end well, and how long each of the engine's is run.
HISTORY   ?= docs/bench
BENCHTIME ?= 0.5s

bench: ## benchmarks of the engine, then the server against its limits, as ratios; beside what is asked for, and what history.jsonl in the folder HISTORY has, which an entry is added to
	{ $(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) ./engine/... ./nodes/... && \
	  $(GO) test -run '^$$' -bench Throughput -benchtime 1x -timeout 40m ./cmd/svc; } | go run ./cmd/internal/figures server $(HISTORY)/history.jsonl

bench-cluster: ## a cluster with its servers, against tasks of Temporal that do nothing and against svc serve; beside what is asked for
	{ cd $(CLUSTER_DEV) && CGO_ENABLED=0 go test -run '^$$' -bench . -benchtime 1x -timeout 60m ./bench; } | go run ./cmd/internal/figures cluster $(HISTORY)/cluster.jsonl

bench-window: ## what a frame of the editor costs, in a window of Xvfb; SVC_PROFILE=file writes a profile
	$(GO) test -tags $(DESKTOP_TAGS) -run '^$$' -bench 'Draw|Open' -benchtime 0.5s ./ui/editor/...
	LANG=C.UTF-8 go test -tags $(DESKTOP_TAGS) -run '^$$' -bench Window -benchtime 1x -timeout 20m ./cmd/svc-desktop

test262: $(if $(SVC_TEST_DATA),,$(TEST262)) ## ECMAScript's own tests of what scripts rely on; from the folder test262 in the one that SVC_TEST_DATA names, or loaded; UPDATE=-update writes the list of what fails
	SVC_TEST262=all SVC_TEST_DATA=$(or $(SVC_TEST_DATA),$(dir $(TEST262))) go test -count 1 -v -timeout 0 ./nodes/code -run '^TestConformance$$' $(UPDATE)

conformance: ## the suites of others: jq, JSONPath, …; from the folder that SVC_TEST_DATA names, or loaded
	folder=$$(go run ./nodes/nodetest/suites/fetch $(CACHE)/suites) && SVC_TEST_DATA=$$folder $(GO) test -count 1 -vet=off -tags $(TAGS) \
	  $$(grep -rl --include='*_test.go' '^func TestConformance' . | xargs -n1 dirname | sort -u) -run '^TestConformance'

hostile: build hostile-scripts ## attacks on servers with little memory, 5,000 slow senders, a large value through 1,500 nodes, every jq filter, and the scripts of the next verb; EACH=2s for a filter
	SVC_HOSTILE=all SVC_SLOW=5000 $(E2E_TEST) -tags e2e ./cmd/e2e -run '^(TestHostile|TestSlowSenders)$$'
	SVC_TEST_HOSTILE=$(EACH) $(GO) test -count 1 -v ./app -run '^TestLargeValueThroughManyNodes$$'
	SVC_TEST_HOSTILE=$(EACH) $(GO) test -count 1 -v -timeout 0 ./nodes/jsonnode -run '^TestHostileFilters$$'

hostile-scripts: ## SCRIPTS=10000 that want more than there is, or what is of the host, and how late they ended
	SVC_HOSTILE_SCRIPTS=$(SCRIPTS) $(GO) test -count 1 -v -timeout 0 ./nodes/code -run '^TestHostileScripts$$'

audit: ## modules: newer ones, known vulnerabilities, licences, and which may use unsafe, the network or programs; audit what changed: make audit UPDATE=-update
	@go list -m -f '{{if not (or .Indirect .Main)}}{{.Path}}{{end}}' all | xargs go list -m -u -f '{{with .Update}}there is a newer {{.Path}}: {{$$.Version}} → {{.Version}}{{end}}' | { grep . || true; }
	go run ./cmd/internal/audit $(UPDATE) ./cmd/svc ./cmd/svc-cluster ./cmd/svc-desktop
	folder=$$(go mod download -json golang.org/x/vulndb@latest | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') && test -d "$$folder/data/osv" && \
	  GOTOOLCHAIN=$(NEWEST_GO) CGO_ENABLED=0 go run $(GOVULNCHECK) -db "file://$$folder/data/osv" -tags ci,$(TAGS) ./cmd/...

soak: build desktop ## a server that is used for long, FOR=5m, ten years of schedules, and a window that a monkey plays with, ACTIONS=100000
	SVC_SOAK=$(FOR) $(GO) test -count 1 -timeout 0 ./nodes/trigger -run '^TestTimesAgainstAnOracle$$'
	SVC_SOAK=$(FOR) $(GO) test -count 1 -v -timeout 0 -tags $(TAGS) ./ui -run '^TestNothingGrows$$'
	SVC_SOAK=$(FOR) $(E2E_TEST) -tags e2e -timeout 0 ./cmd/e2e -run '^TestSoak$$'
	SVC_MONKEY=$(ACTIONS) $(E2E_TEST) -tags e2e -timeout 0 ./cmd/svc-desktop/e2e -run '^TestMonkey$$'

kills: build ## stores, servers and converters that are killed; TIMES=500
	SVC_KILLS=$(TIMES) $(GO) test -count 1 -v -timeout 0 ./store/...
	SVC_SAMPLE=all SVC_KILLS=$(TIMES) $(GO) test -count 1 -v -timeout 0 ./nodes/mediacore -run '^(TestWhatIsCancelledLeavesNothing|TestWhatTakesTooLongIsKilled|TestAServiceThatIsKilledLeavesNothing|TestThereAreNeverMoreProcessesThanPlaces|TestChainsAreWhatTheirStepsAreOneByOne)$$'
	SVC_KILLS=$(TIMES) $(E2E_TEST) -tags e2e -timeout 0 ./cmd/e2e -run '^(TestCrashes|TestTriggersSurviveCrashes|TestDisconnectEndsConverter)$$'

e2e: build package ## the built programs, driven as users drive them
	$(E2E) CGO_ENABLED=0 $(call tests,$(call tagged,e2e),-count 1 -p 2 -vet=off -timeout 60m -tags e2e,$(VERBOSE))

e2e-cluster: ## a cluster with its servers, Temporal and PostgreSQL; the first time builds Temporal's, which takes minutes
	cd $(CLUSTER_DEV) && CGO_ENABLED=0 LANG=C.UTF-8 $(call tests,./...,-count 1 -p 1 -parallel 2 -timeout 60m,$(VERBOSE))

soak-cluster: TIMES = 1
soak-cluster: ## what e2e-cluster does, as often as is asked for: hundreds of kills, stops and races; hours. TIMES=0.1 is a tenth of it
	cd $(CLUSTER_DEV) && SVC_SHARE=$(TIMES) CGO_ENABLED=0 go test -count 1 -v -timeout 0 -parallel 2 ./e2e

e2e-vault: $(VAULT) ## credentials/server against a real vault; the first time builds it, which takes minutes
	SVC_E2E_VAULT=$< $(E2E_TEST) -tags vault $(call tagged,vault)
	@mkdir -p $(dir $(VAULT_TESTED)) && $(MAKE) -s vault-sum > $(VAULT_TESTED)

vault-tested: # fails if the code of credentials/server has changed since it was tested against a real vault
	@$(MAKE) -s vault-sum | cmp -s - $(VAULT_TESTED)

vault-sum: # of the code without its comments
	@cat $(sort $(wildcard credentials/server/*.go)) | sed -E 's,(^|[[:space:]])//.*$$,,' | grep -v '^[[:space:]]*$$' | sha256sum

$(TEST262):
	rm -rf $(@D) && git init -q $(@D)/tmp
	git -C $(@D)/tmp fetch -q --depth 1 https://github.com/tc39/test262 $(TEST262_COMMIT) && git -C $(@D)/tmp checkout -q FETCH_HEAD
	mv $(@D)/tmp $@

# Vault's own go.mod names these replacements, which do not reach who depends on it.
$(VAULT):
	rm -rf $(@D) && mkdir -p $(@D)
	cd $(@D) && go mod init vault.test && go mod edit -require github.com/hashicorp/vault@$(VAULT_VERSION) \
	  -replace github.com/99designs/keyring=github.com/Jeffail/keyring@v1.2.3 \
	  -replace github.com/ma314smith/signedxml@v1.1.1=github.com/moov-io/signedxml@v1.1.1
	cd $(@D) && go build -mod mod -tags minimal -o vault.tmp github.com/hashicorp/vault && mv vault.tmp vault

# What nightly runs: the verbs that fail first come first.
NIGHTLY := check audit vault-tested test translations conformance race-all e2e test-newest e2e-cluster kills hostile soak fuzz test262 e2e-vault soak-cluster

nightly: export SVC_SAMPLE = all
nightly: export SVC_SUBSCRIBERS = 10000
nightly: ## everything that can be proved, the samples whole, and how long each verb took; hours
	@mkdir -p dist && : > dist/nightly.txt; for verb in $(NIGHTLY); do begin=$$(date +%s); echo "make $$verb"; \
	  $(MAKE) $$verb || { cat dist/nightly.txt; echo "make $$verb failed"; exit 1; }; \
	  printf '%6d s  make %s\n' $$(($$(date +%s) - begin)) $$verb >> dist/nightly.txt; done; cat dist/nightly.txt

test-newest: ## make test, with the newest Go
	GOTOOLCHAIN=$(NEWEST_GO) $(MAKE) test

race-all: ## make race, for all packages; an hour
	$(MAKE) race RACED=./...

fuzz: ## every fuzz target for ten seconds
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go | awk '{print $$2}' | while read -r target; do \
	    echo "$$dir $$target"; go test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime 10s || exit 1; \
	  done || exit 1; \
	done

translations: ## list the texts that have no translation yet; the window shows them in English
	@CGO_ENABLED=0 LANG=C.UTF-8 SVC_LIST_TRANSLATIONS=1 go test -tags migrated_fynedo -count 1 -v -run 'Translat|InGerman' ./ui ./cmd/svc-desktop | { grep -E '^(missing translation|--- FAIL|FAIL)' || test $$? = 1; }

golden: ## write the golden files anew; look at the diff before you commit it
	$(GO) test -tags migrated_fynedo $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
