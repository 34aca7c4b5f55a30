# The verbs of the project. `make help` lists them.
SHELL := /bin/bash
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/svc

# The vault that credentials/server is tested against, and the mark of what was.
VAULT_VERSION := v1.21.1
VAULT         := $(CACHE)/vault-$(VAULT_VERSION)/vault
VAULT_TESTED  := credentials/server/testdata/tested-with-vault

# The window. One set of flags everywhere: another one compiles the toolkit anew.
FYNE         := fyne.io/fyne/v2/cmd/fyne@v2.7.1
# Without animations nothing is painted while nothing happens: a blinking cursor paints
# the whole window 60 times a second.
DESKTOP_TAGS := migrated_fynedo,no_animations
PACKAGE      := dist/svc-desktop-$(VERSION)-linux-$(shell go env GOARCH).tar.xz
WINDOW_TEST  := go test -count 1 -tags $(DESKTOP_TAGS) -v -timeout 20m ./cmd/svc-desktop

.DEFAULT_GOAL := help
.PHONY: help run build desktop package screenshots test race check bench bench-window e2e e2e-vault vault-tested vault-sum fuzz golden

help: ## list the verbs
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: build ## start the server with its data in ./data
	bin/svc serve --data data

build: ## make bin/svc, the one-file server, and bin/svc-sim, the networks to try it with
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/svc ./cmd/svc-sim

desktop: ## make bin/svc-desktop, the editor; needs a C compiler, and on Linux the headers of X and OpenGL
	CGO_ENABLED=1 go build -tags $(DESKTOP_TAGS) -ldflags '$(LDFLAGS)' -o bin/ ./cmd/svc-desktop

package: desktop ## make dist/svc-desktop-….tar.xz, the editor to install on Linux
	rm -rf dist/package $(PACKAGE) && mkdir -p dist/package
	cp cmd/svc-desktop/FyneApp.toml cmd/svc-desktop/Icon.png dist/package/ # which the next line changes
	cd dist/package && go run $(FYNE) package --os linux --release --executable $(CURDIR)/bin/svc-desktop
	mv dist/package/Svc.tar.xz $(PACKAGE) && rm -r dist/package
	SVC_E2E_PACKAGE=$(CURDIR)/$(PACKAGE) $(WINDOW_TEST) -run '^TestPackage$$'

screenshots: build desktop ## take the pictures in docs/screenshots, with simulated networks
	SVC_SCREENSHOTS=$(CURDIR)/docs/screenshots SVC_E2E_WINDOW=$(CURDIR)/bin/svc-desktop SVC_SIM=$(CURDIR)/bin/svc-sim \
	  $(WINDOW_TEST) -run '^TestScreenshots$$'

test: ## run the tests; needs no display and no C compiler
	CGO_ENABLED=0 LANG=C.UTF-8 go test -tags migrated_fynedo ./...

race: ## run the tests under the race detector
	CGO_ENABLED=1 LANG=C.UTF-8 go test -race -tags ci,migrated_fynedo ./...

check: ## formatting, vet, lint and tidiness
	@test -z "$$(gofmt -l .)" || { echo 'not formatted:'; gofmt -l .; exit 1; }
	go vet -tags ci,migrated_fynedo ./...
	go run $(GOLANGCI) run --allow-parallel-runners --build-tags ci,migrated_fynedo ./...
	go mod tidy -diff

bench: ## benchmarks of the engine, then the server against its limits, as ratios
	go test -run '^$$' -bench . -benchtime 0.5s ./engine/... ./nodes/...
	go test -run '^$$' -bench Throughput -benchtime 1x -timeout 20m ./cmd/svc

bench-window: ## what a frame of the editor costs, in a window of Xvfb; SVC_PROFILE=file writes a profile
	CGO_ENABLED=0 LANG=C.UTF-8 go test -tags $(DESKTOP_TAGS) -run '^$$' -bench 'Draw|Open' -benchtime 0.5s ./ui/editor
	LANG=C.UTF-8 go test -tags $(DESKTOP_TAGS) -run '^$$' -bench Window -benchtime 1x -timeout 20m ./cmd/svc-desktop

e2e: build package ## the built programs, driven as users drive them
	SVC_E2E=$(CURDIR)/bin/svc go test -count 1 -v -timeout 30m ./cmd -run '^TestBinary'

	SVC_E2E_DESKTOP=1 go test -count 1 -v -timeout 20m ./credentials/oauth ./credentials/client -run '^TestDesktop'
	SVC_E2E=$(CURDIR)/bin/svc go test -count 1 -v -timeout 10m ./nodes/sim -run OfficialSDK
	SVC_E2E=$(CURDIR)/bin/svc SVC_E2E_DESKTOP=1 SVC_E2E_WINDOW=$(CURDIR)/bin/svc-desktop $(WINDOW_TEST) -run '^TestWindow'
	SVC_E2E_EMAIL=1 go test -count 1 -v -timeout 10m ./nodes/email -run '^TestDovecot'

e2e-vault: $(VAULT) ## credentials/server against a real vault; the first time builds it, which takes minutes
	SVC_E2E_VAULT=$< go test -count 1 -v -timeout 20m ./credentials/server -run '^TestRealVault$$'
	@mkdir -p $(dir $(VAULT_TESTED)) && $(MAKE) -s vault-sum > $(VAULT_TESTED)

vault-tested: # fails if credentials/server has changed since it was tested against a real vault
	@$(MAKE) -s vault-sum | cmp -s - $(VAULT_TESTED)

vault-sum:
	@cat $(sort $(wildcard credentials/server/*.go)) | sha256sum

# Vault's own go.mod names these replacements, which do not reach who depends on it.
$(VAULT):
	rm -rf $(@D) && mkdir -p $(@D)
	cd $(@D) && go mod init vault.test && go mod edit -require github.com/hashicorp/vault@$(VAULT_VERSION) \
	  -replace github.com/99designs/keyring=github.com/Jeffail/keyring@v1.2.3 \
	  -replace github.com/ma314smith/signedxml@v1.1.1=github.com/moov-io/signedxml@v1.1.1
	cd $(@D) && go build -mod mod -tags minimal -o vault.tmp github.com/hashicorp/vault && mv vault.tmp vault

fuzz: ## every fuzz target for ten seconds
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go | awk '{print $$2}' | while read -r target; do \
	    echo "$$dir $$target"; go test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime 10s || exit 1; \
	  done || exit 1; \
	done

golden: ## write the golden files anew; look at the diff before you commit it
	go test ./engine ./engine/node ./nodes ./httpapi ./cmd/svc -update
	UPDATE=1 go test ./cmd/svc -run TestScripts
