# docent: `make help` lists the commands.
SHELL := /bin/bash
export PATH := $(CURDIR)/bin/tools/node:$(PATH):/usr/local/go/bin
export CGO_ENABLED ?= 0
# Builds, tests, and lint share what is compiled, also between checkouts in different folders.
export GOFLAGS := $(GOFLAGS) -trimpath

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
DATA    ?= data
ADDR    ?= 127.0.0.1:8765
# Maximum size of bin/docent in bytes.
MAX_SIZE := 150000000
# Marks a database, by its URL, that has the sample documents.
SAMPLES  = $(DATA)/.samples-$(shell printf %s "$$DATABASE_URL" | cksum | cut -d ' ' -f 1)

.DEFAULT_GOAL := help
.PHONY: help setup run cluster test test-go test-race test-web test-arm64 test-weaviate lint release release-test bench eval eval-written eval-enriched fidelity soak build web fmt clean

help: ## list the commands
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the programs that run and test need
	@.ci/setup run
	@.ci/setup test

run: ## build, ingest sample documents on the first start, serve the page at http://127.0.0.1:8765
	@.ci/setup run
	@$(MAKE) --no-print-directory build
	@if [ ! -e $(SAMPLES) ]; then bin/docent ingest --data $(DATA) README.md docs && touch $(SAMPLES); fi
	bin/docent serve --data $(DATA) --addr $(ADDR)

cluster: build ## run three servers on one Postgres behind a proxy at http://127.0.0.1:8765, until Ctrl-C (ARGS=-weaviate: and three nodes of Weaviate)
	@.ci/setup cluster
	@if [[ " $(ARGS) " == *" -weaviate "* ]]; then .ci/setup weaviate; fi
	go run ./tools/cluster -addr $(ADDR) -database "$$DATABASE_URL" $(ARGS) README.md docs

build: web ## build bin/docent with the page inside
	go build -ldflags '$(LDFLAGS)' -o bin/docent ./cmd/docent

web: ## build the page into web/dist
	@.ci/setup run
	@if [ ! -e web/dist/index.html.gz ] || [ -n "$$(find web/src clients/ts/src web/public web/scripts web/package-lock.json web/package.json web/tsconfig.json web/vite.config.ts web/index.html -newer web/dist/index.html.gz -print -quit)" ]; then cd web && npm run build; fi

test: ## run all tests of Go and the page, on a real Postgres and in a real browser
	@.ci/setup test
	@$(MAKE) --no-print-directory build
	@size=$$(wc -c < bin/docent); if [ $$size -gt $(MAX_SIZE) ]; then echo "bin/docent has $$size bytes, the budget is $(MAX_SIZE)"; exit 1; fi
	@$(MAKE) --no-print-directory -j2 test-go test-web

# Packages with goroutines, whose tests run with the race detector. It makes tests up to ten times
# slower, and finds nothing in the other packages.
RACED := ./agent/... ./api/... ./auth/... ./backup ./client/... ./embed/... ./eval ./index/... ./ingest ./ingest/enrich \
	./ingest/ingesttest ./ingest/source/... ./ingest/work/... ./ingest/worker/... ./internal/... ./llm/... ./rag/retrieve/... ./settings/... \
	./insight/digest/digesttest ./insight/quality ./store/... ./webhook/... ./ws/...
# Packages below them that start no goroutines and have no locks, and internal/servertest, which runs
# whole servers: their packages have raced tests of their own.
UNRACED := ./agent/definition/syntax ./agent/diagram ./agent/intent/denial ./api/ask ./api/edge ./api/filename ./api/stall \
	./api/system ./api/transcript ./auth/audit ./embed/bpe ./index/pgwords ./ingest/source/dial ./ingest/source/match \
	./ingest/source/thread ./ingest/source/webdav ./internal/archtest ./internal/disk ./internal/fault \
	./internal/meter ./internal/servertest ./internal/trace ./settings ./ws/dialect
LIST_RACED = comm -23 <(go list $(RACED) | sort) <(go list $(UNRACED) | sort)
# The race detector leaves out SQLite's code, which is translated from C. Its locks are those of
# package sync, which the detector watches.
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false

# The tests of Go and the page run together, because neither uses two cores all the time. The
# browser goes first, because its tests wait for less time. The tests in cmd/docent and ingest/worker
# start bin/docent. bin/cputime counts the processor time of each package. make lint vets all packages.
test-go:
	@go build -o bin/cputime ./tools/cputime && rm -f bin/cputime.txt
	@flags="-vet=off -shuffle=on -timeout 30m"; count='$(CURDIR)/bin/cputime run $(CURDIR)/bin/cputime.txt'; status=0; \
	DOCENT_BIN=$(CURDIR)/bin/docent nice -n 5 go test $$flags -exec "$$count" $$(comm -23 <(go list ./... | sort) <($(LIST_RACED))) || status=1; \
	DOCENT_BIN=$(CURDIR)/bin/docent CGO_ENABLED=1 nice -n 5 go test $(RACE) $$flags -exec "$$count" $$($(LIST_RACED)) || status=1; \
	bin/cputime compare bin/cputime.txt .ci/cputime.txt; exit $$status

test-race: ## run all tests of Go with the race detector, also in the servers that they start
	@.ci/setup test
	@$(MAKE) --no-print-directory web
	CGO_ENABLED=1 go test $(RACE) -shuffle=on -timeout 90m ./...

test-web:
	cd web && npm run check && npm test
	cd web && DOCENT_BIN=$(CURDIR)/bin/docent npm run e2e

test-arm64: ## run the tests of packages with assembly for arm64, in an emulator
	@.ci/setup arm64
	GOARCH=arm64 CGO_ENABLED=0 go test -exec 'qemu-aarch64 -cpu max' -count=1 -timeout 60m $$(git ls-files '*_arm64.s' | xargs -n1 dirname | sort -u | sed 's|^|./|')

test-weaviate: ## test the index in Weaviate with a cluster of three nodes (builds the server first)
	@.ci/setup weaviate
	go test -tags weaviate -count=1 -timeout 10m ./index/weaviate

lint: ## check format, code, dependencies, prose, and the Helm chart
	@.ci/setup lint
	@out=$$(bin/tools/gofumpt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofumpt these (make fmt):"; echo "$$out"; exit 1; fi
	go mod tidy -diff
	go run ./tools/prose
	go vet ./...
	go vet -tags soak,weaviate ./...
	bin/tools/golangci-lint run
	cd tools/chart && go mod tidy -diff && go run .
	cd tools/bleve && go mod tidy -diff && go vet ./...

fmt: ## format the Go code
	@.ci/setup lint
	bin/tools/gofumpt -w $$(git ls-files '*.go')

bench: web ## run the benchmarks (docs/explanation/performance.md)
	@.ci/setup test
	@set -o pipefail; { go test -run '^$$' -bench . -timeout 30m \
		$$(grep -rl --include='*_test.go' --exclude-dir=node_modules --exclude-dir=bleve '^func Benchmark' . | xargs -n1 dirname | sort -u) \
		&& cd tools/bleve && go test -run '^$$' -bench .; } \
		| awk -F'\t' '/^Benchmark.*\t/ { print $$1; for (i = 3; i <= NF; i++) print "  " $$i; next } { print }'

eval: build ## fetch the corpora of the question sets, and measure retrieval and answers
	.ci/eval

eval-written: build ## set up a small chat model, and measure the answers that it writes (ARGS=… for docent eval)
	.ci/eval-written $(ARGS)

eval-enriched: build ## set up a small chat model, and measure search with the questions that it writes
	.ci/eval-enriched

release: web ## build archives, packages, an SBOM, and checksums in bin/release (offline after .ci/setup release)
	@.ci/setup release
	VERSION='$(VERSION)' .ci/release

release-test: ## install the Debian package from bin/release, ask a question, and remove it (as root)
	.ci/release-test

fidelity: ## compare extracted text with pdftotext, pandoc, trafilatura, and LibreOffice (FOLDER=… for your own)
	go run ./tools/fidelity $(FOLDER)

soak: build ## run the long tests: killed processes, cut connections, hostile servers, and invalid frames
	CGO_ENABLED=1 go test -race -tags soak -timeout 60m -count=1 -run Soak ./cmd/docent ./internal/wiring

clean: ## remove build results
	rm -rf bin
	find web/dist -mindepth 1 ! -name placeholder.html -delete
