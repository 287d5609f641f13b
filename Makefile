# make check is for while you work, and make test passes everything. Tools come through the tool
# directive of go.mod, so Go is all that has to be there.

.PHONY: check test whole clocks static lint format vet staticcheck lines race docs bench fuzz campaign build dist module browser npm stores

# Without the paths of this machine in what is compiled, all checkouts share what one has compiled.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)
# Without C, as the archives and the container are made: else tests of these compile all once more.
export CGO_ENABLED := 0

CORES := $(shell getconf _NPROCESSORS_ONLN)
# What runs side by side is shown one after the other, where make can do that.
APART := $(if $(filter output-sync,$(.FEATURES)),-Otarget)

# Tests make much garbage and keep little of it. To collect it seldom takes a fifth off their time;
# near the limit, it is collected as often as ever.
check test whole clocks race: export GOGC := 800
check test whole clocks race: export GOMEMLIMIT := 1GiB

# Tests write many small files, each of which costs the system four times as much on a disk. Where
# Linux has memory to spare for files, and programs may run there, they write there. What programs
# that a test killed left there goes after a day.
MEMORY := $(shell [ -w /dev/shm ] && ! grep -q ' /dev/shm .*noexec' /proc/mounts && \
	awk '/^MemAvailable/ && $$2 > 8e6 {print "/dev/shm"}' /proc/meminfo)
check test whole clocks race: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)

# The tests that take longest begin first.
LONGEST := ./cmd/stele ./internal/deliver/serve ./internal/show/site ./internal/build/publish ./internal/deliver/push ./internal/deliver/mirror \
	./internal/show/describe ./internal/show/bulk ./tools/dist

# One more package runs than there are cores, as the tests of the server often wait.
ATONCE := -p $(shell expr $(CORES) + 1)

# Rooms that start no goroutine need no race detector. A test holds that they start none.
SEQUENTIAL := internal/author/reading/input/scrutiny internal/author/reading/settings internal/author/reading/settings/color \
	internal/author/reading/settings/places internal/base/jsonline \
	internal/base/jsonline/jsondiff internal/base/layout internal/base/sheet \
	internal/base/schema internal/base/schema/codes internal/base/suggest internal/base/version internal/disk/durable \
	internal/disk/spool internal/show/markdown internal/show/search internal/show/site/cards internal/show/site/markup \
	internal/trust/answers internal/trust/quotes internal/trust/standing

# check runs all that needs no browser, no network and no other program. Tests are not vetted once
# more, and lines are measured by one of them.
check: static
	go test -short -vet=off $(ATONCE) $(LONGEST) ./...

# test runs everything. What else it needs it installs where it can, and says so before it does, while
# the linters run; first everything is compiled once, so that none of them does it again. The race
# detector's run comes after the other: side by side, both take a third more of the processors' time.
test:
	@$(if $(MEMORY),find $(MEMORY) -maxdepth 1 -user $$(id -u) -name 'stele-*' -mtime +0 -exec rm -rf {} +)
	@go build ./...
	@$(MAKE) --no-print-directory -j$(CORES) $(APART) stores npm browser format vet staticcheck
	@if command -v cc; then $(MAKE) --no-print-directory whole race clocks; \
	elif [ -n "$$CI" ]; then echo "there is no C compiler for the race detector"; exit 1; \
	else $(MAKE) --no-print-directory whole clocks && echo "there is no C compiler: the race detector is left out"; fi

whole:
	go test -vet=off -timeout 30m $(ATONCE) $(LONGEST) ./...

# clocks runs the quick tests of the commands on another day: shortly before midnight, on 29
# February, in a zone where the next day has begun.
clocks:
	STELE_TEST_CLOCK=2028-02-29T23:59:50Z TZ=Pacific/Kiritimati go test -short -vet=off ./cmd/stele

static:
	@$(MAKE) --no-print-directory -j$(CORES) format vet staticcheck

lint: static lines

format:
	@files=$$(go tool gofumpt -l .); if [ -n "$$files" ]; then echo "not formatted (go tool gofumpt -w .):"; echo "$$files"; exit 1; fi

vet:
	go vet ./...

staticcheck:
	go tool staticcheck ./...

lines:
	go test -vet=off ./projecttest -run 'TestWidths|TestNoShadows'

# browser installs Chromium, its driver and Firefox, which the tests of the pages drive, and
# LibreOffice, which opens workbooks, where they are missing and can be had. Without them such tests
# are left out, but not where CI is set: there they must run.
CHROMIUM = { command -v chromedriver && { command -v chromium || command -v chromium-browser || command -v google-chrome; }; }
FIREFOX = { command -v firefox-esr || command -v firefox; }
OFFICE = command -v soffice
browser:
	@{ $(CHROMIUM) && $(FIREFOX) && $(OFFICE); } || { \
		if command -v apt-get && [ "$$(id -u)" = 0 ]; then \
			echo "installing Chromium, Firefox and LibreOffice with apt-get, for the tests of pages and workbooks:"; \
			apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium chromium-driver firefox-esr libreoffice-calc-nogui; \
		fi; \
		{ $(CHROMIUM) && $(FIREFOX) && $(OFFICE); } || { \
			echo "Chromium with chromedriver, Firefox or LibreOffice is missing and cannot be installed here: its tests are left out."; \
			[ -z "$$CI" ]; \
		}; \
	}

# npm installs linters and readers of formats, where there are node and npm, and they are missing.
npm:
	@go run ./tools/install npm

# stores gets the object stores, the witness and the authority that tests start, where they are missing.
stores:
	@go run ./tools/install stores

# race looks for data races in all packages of the program. Compressors and the database, which others wrote, are
# compiled without the detector, which makes them ten times as slow: each of their values has one
# user at a time, and that it has is for our code to see to. Not more of them: code that is generic
# is linked once, and must be watched, or races are seen where there are none. Every program waits a
# second before it ends, in case something still runs; tests make sure themselves that nothing does.
race:
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -short -vet=off -timeout 30m $(ATONCE) \
		-gcflags=github.com/andybalholm/brotli=-race=false \
		-gcflags=github.com/klauspost/compress/...=-race=false \
		-gcflags=modernc.org/sqlite/lib=-race=false $(filter ./cmd/% ./internal/%,$(LONGEST)) \
		$(filter-out $(addprefix %/,$(SEQUENTIAL)),$(shell go list ./client/... ./cmd/... ./internal/... ./record ./release))

# docs writes the generated pages anew.
docs:
	go test ./cmd/stele -run TestHelp -update
	go test ./projecttest -run TestDocs -update

# bench writes docs/benchmarks.md anew; it takes an hour, and a machine that does nothing else.
bench:
	go run ./bench/work -write
	go run ./bench/scale -write
	go run ./bench/serve -write
	go run ./bench/weight -write -compile

# fuzz runs every fuzz test for a while: make fuzz FUZZTIME=5m
FUZZTIME ?= 30s
fuzz:
	@for package in $$(go list ./...); do \
		for name in $$(go test $$package -list '^Fuzz' | grep ^Fuzz); do \
			go test $$package -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
		done; \
	done

# campaign does for an hour what only a long run finds: by hand, and before a release. A little of
# it: make campaign CAMPAIGN='-releases 10'.
CAMPAIGN ?= -releases 50 -last 1h
campaign:
	go test ./campaign -v -count 1 -timeout 0 $(CAMPAIGN)

build:
	go build -o stele ./cmd/stele

# dist makes the archives in which the program is given away, the same bytes wherever it is made.
dist:
	go run ./tools/dist -o dist

# module gives the project another module path: make module TO=example.org/stele
module:
	go mod edit -module $(TO)
	find . -name '*.go' | xargs perl -pi -e 's{"stele/}{"$(TO)/}g'
