# The verbs of the project. `make help` lists them.
SHELL := /bin/bash
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help run build test race check bench e2e fuzz golden

help: ## list the verbs
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

run: build ## start the server with its data in ./data
	bin/svc serve --data data

build: ## make bin/svc, the one-file server
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/svc ./cmd/svc

test: ## run the tests; needs no display and no C compiler
	CGO_ENABLED=0 go test ./...

race: ## run the tests under the race detector
	CGO_ENABLED=1 go test -race ./...

check: ## formatting, vet, lint and tidiness
	@test -z "$$(gofmt -l .)" || { echo 'not formatted:'; gofmt -l .; exit 1; }
	go vet ./...
	go run $(GOLANGCI) run ./...
	go mod tidy -diff

bench: ## benchmarks of the engine, then the server against its limits, as ratios
	go test -run '^$$' -bench . -benchtime 0.5s ./engine/... ./nodes/...
	go test -run '^$$' -bench Throughput -benchtime 1x -timeout 20m ./cmd/svc

e2e: build ## the built binary, driven as users drive it
	SVC_E2E=$(CURDIR)/bin/svc go test -count 1 -v -timeout 30m ./cmd -run '^TestBinary'

fuzz: ## every fuzz target for ten seconds
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  grep -hoE '^func Fuzz[A-Za-z0-9_]+' $$dir/*_test.go | awk '{print $$2}' | while read -r target; do \
	    echo "$$dir $$target"; go test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime 10s || exit 1; \
	  done || exit 1; \
	done

golden: ## write the golden files anew; look at the diff before you commit it
	go test ./engine ./engine/node ./nodes ./httpapi ./cmd/svc -update
	UPDATE=1 go test ./cmd/svc -run TestScripts
