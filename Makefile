# make test runs everything that guards the project: format, vet, staticcheck, tests.
# Tools come through the tool directive of go.mod, so Go is all that has to be there.

.PHONY: test lint race docs bench fuzz build

test: lint
	go test ./...
	@if command -v cc >/dev/null; then $(MAKE) --no-print-directory race; else echo "no C compiler: the race detector was left out"; fi

lint:
	@files=$$(go tool gofumpt -l .); if [ -n "$$files" ]; then echo "not formatted (go tool gofumpt -w .):"; echo "$$files"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...

race:
	CGO_ENABLED=1 go test -race ./internal/source ./internal/check ./internal/store
	CGO_ENABLED=1 go test -race ./internal/build -run "TestCores|TestFolderAndZip|TestRemovedIDs|TestPreviousIsNotWrittenTo"
	CGO_ENABLED=1 go test -race ./internal/serve -run "TestManyAtOnce|TestIdleTime|TestSlowReader|TestShutdown|TestNothingKeeps|TestLaneAgreesOnOdd|TestLaneAgreesOnPieces"

# docs writes the generated pages anew.
docs:
	go test . -run TestDocs -update

bench:
	go run ./bench/check
	go run ./bench/build -million
	go run ./bench/serve -million

# fuzz runs every fuzz test for a while: make fuzz FUZZTIME=5m
FUZZTIME ?= 30s
fuzz:
	@for package in ./record ./internal/source ./internal/store ./internal/serve; do \
		for name in $$(go test $$package -list '^Fuzz' | grep ^Fuzz); do \
			go test $$package -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
		done; \
	done

build:
	go build -o stele ./cmd/stele
