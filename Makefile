# The two commands are `make report` and `make test`: on a machine with Go alone
# they do all the set-up. What needs Node says so.

# Linters are pinned, so that the same commit gives the same findings.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BENCHSTAT   = golang.org/x/perf/cmd/benchstat

# A pipe fails when any part of it does.
SHELL       = bash
.SHELLFLAGS = -euo pipefail -c

DOC   = sessions
TRACE =

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: report
report: ## measure all backends and say which to run (TRACE=FILE: on a recorded session)
	go run ./cmd/idlab choose $(if $(TRACE),--trace '$(TRACE)')

.PHONY: test
test: ## all tests, with the invariant checks on
	go test -tags invariants ./...

.PHONY: benchstat
benchstat: ## the benchmarks through the stock tool, backends as columns (DOC=NAME)
	DOC='$(DOC)' go test -run '^$$' -bench /backend= -benchtime 20ms -count 10 ./bench | go run $(BENCHSTAT) -col /backend -

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l .)" || { echo "gofmt these files:"; gofmt -l .; exit 1; }
	go vet ./...
	go vet -tags invariants ./...
	go run $(STATICCHECK) ./...

.PHONY: live
live: ## sessions as processes over NATS JetStream, some of them killed
	go run ./cmd/idlive run --sessions 20 --ids 200000 --kill

.PHONY: interop
interop: node ## needs Node 20: random networks on the original and on every backend
	go test -count=1 -timeout 10m -v -run Interop ./bench/peer -interop

.PHONY: record
record: node ## needs Node 20: record the project's own traces anew
	cd bench/peer && node record.mjs ../trace/testdata/recorded

.PHONY: peers
peers: node ## needs Node 20: the npm package beside the backends, and the table of the claim
	go run ./cmd/idlab bench --peers --quick --document small,sessions,clusters,integers --backend paged --out results/latest/peers.txt
	go run ./bench/peer/claim results/latest/peers.txt

.PHONY: node
node:
	@command -v node >/dev/null || { echo "this needs Node 20 or newer, with npm; make report and make test do not"; exit 2; }
	@test -d bench/peer/node_modules/@fluidframework || { cd bench/peer && npm ci; }
