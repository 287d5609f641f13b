# make test runs everything that guards the project: format, vet, staticcheck, tests.
# Tools come through the tool directive of go.mod, so Go is all that has to be there.

.PHONY: test lint race docs bench fuzz build chromium

test: lint chromium
	go test ./...
	@if command -v cc >/dev/null; then $(MAKE) --no-print-directory race; else echo "no C compiler: the race detector was left out"; fi

lint:
	@files=$$(go tool gofumpt -l .); if [ -n "$$files" ]; then echo "not formatted (go tool gofumpt -w .):"; echo "$$files"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...

# chromium installs the browser that the tests of the pages drive, where it is missing and can be had. Without it they are left out, and say so.
chromium:
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then \
		if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then (apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1 || true; fi; \
		command -v chromium >/dev/null || echo "no Chromium, and it cannot be installed here: the browser tests are left out"; \
	fi

race:
	CGO_ENABLED=1 go test -race ./internal/input ./internal/check ./internal/store ./internal/asyncwriter
	CGO_ENABLED=1 go test -race ./internal/publish -run "TestCores|TestFolderAndZip|TestRemovedIDs|TestPreviousIsNotWrittenTo|TestChangedRecords|TestEmptyKinds"
	CGO_ENABLED=1 go test -race ./internal/serve -run "TestManyAtOnce|TestIdleTime|TestSlowReader|TestShutdown|TestNothingKeeps|TestLaneAgreesOnOdd|TestLaneAgreesOnPieces|TestLoop|TestHTTP2Windows|TestHTTP2TakesTurns|TestHTTP2Stop|TestSwapsHTTP2"

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
	@for package in ./record ./release ./internal/input ./internal/store ./internal/serve; do \
		for name in $$(go test $$package -list '^Fuzz' | grep ^Fuzz); do \
			go test $$package -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
		done; \
	done

build:
	go build -o stele ./cmd/stele
