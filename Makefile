# make check is for while you work, make test runs each test once, and make test-all runs the rest.
# Other tools come through the tool directive of go.mod, so only Go must be installed.

.PHONY: check test test-all compile programs whole long clocks static lint format vet staticcheck systems lines race docs bench fuzz build dist module

# Without the paths of this machine in what is compiled, all checkouts share what one has compiled.
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)
# Without C, as the archives and the container are made: else tests of these compile all once more.
export CGO_ENABLED := 0

CORES := $(shell getconf _NPROCESSORS_ONLN)
# What runs side by side is shown one after the other, where make can do that.
APART := $(if $(filter output-sync,$(.FEATURES)),-Otarget)

# Tests make much garbage and keep little of it. To collect it seldom takes a fifth off their time;
# near the limit, it is collected as often as ever.
check test test-all whole long clocks race: export GOGC := 800
check test test-all whole long clocks race: export GOMEMLIMIT := 1GiB

# Tests write many small files, each of which costs the system four times as much on a disk. Where
# Linux has memory to spare for files, and programs may run there, they write there. What programs
# that a test killed left there goes after a day.
MEMORY := $(shell [ -w /dev/shm ] && ! grep -q ' /dev/shm .*noexec' /proc/mounts && \
	awk '/^MemAvailable/ && $$2 > 8e6 {print "/dev/shm"}' /proc/meminfo)
check test test-all whole long clocks race: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)

# The tests that take longest begin first.
LONGEST := ./cmd/stele ./internal/deliver/serve ./internal/show/site ./internal/compile/compiler ./internal/deliver/push ./internal/deliver/mirror \
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

# check runs all tests that need no browser, no network and no other program, and the linters. Lines
# are measured by one of the tests.
check: static
	go test -short -vet=off $(ATONCE) $(LONGEST) ./...

# test runs each test once, with a real browser and real object stores. It installs them where it
# can, and first prints what it installs. Everything is compiled before the tests, so that no other
# step compiles it again. Stele is compiled while programs are downloaded.
test:
	@$(if $(MEMORY),find $(MEMORY) -maxdepth 1 -user $$(id -u) -name 'stele-*' -mtime +0 -exec rm -rf {} +)
	@$(MAKE) --no-print-directory -j$(CORES) compile programs
	@$(MAKE) --no-print-directory -j$(CORES) $(APART) format vet
	@$(MAKE) --no-print-directory whole

compile:
	@echo "Compiling Stele. That takes about two minutes on two cores if nothing is cached."
	@go build ./...

programs:
	@go run ./tools/install test

whole:
	go test -vet=off -timeout 30m $(ATONCE) $(LONGEST) ./...

# test-all runs what make test leaves out because it takes long or needs large programs: staticcheck,
# Google Cloud Storage, tests whose names begin with TestLong (in Firefox, with LibreOffice, with a
# rival at each step), the race detector, and another clock.
test-all:
	@go run ./tools/install test-all
	@$(MAKE) --no-print-directory staticcheck
	@$(MAKE) --no-print-directory systems
	@$(MAKE) --no-print-directory long
	@if command -v cc >/dev/null; then $(MAKE) --no-print-directory race; \
	elif [ -n "$$CI" ]; then echo "The race detector needs a C compiler."; exit 1; \
	else echo "The race detector is left out: it needs a C compiler."; fi
	@$(MAKE) --no-print-directory clocks

long:
	STELE_LONG_TESTS=1 go test -vet=off -timeout 30m $(ATONCE) -run '^TestLong' \
		$(shell grep -rl --include='*_test.go' '^func TestLong' . | xargs -n 1 dirname | sort -u)
	STELE_LONG_TESTS=1 go test -vet=off -timeout 30m -run '/^fake-gcs-server|^TestStrippedConditions$$' \
		./internal/deliver/bucket ./internal/deliver/push

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

# systems compiles the files for other systems, which this one leaves out.
systems:
	GOOS=darwin go vet ./client ./cmd/... ./internal/... ./record ./release
	GOOS=windows go build ./client ./cmd/... ./internal/... ./record ./release

lines:
	go test -vet=off ./projecttest -run 'TestWidths|TestNoShadows'

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
	go run ./bench/copies -write
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

build:
	go build -o stele ./cmd/stele

# dist makes the archives in which the program is given away, the same bytes wherever it is made.
# make dist ONLY=linux/amd64 makes one of them.
dist:
	go run ./tools/dist -o dist -only "$(ONLY)"

# module gives the project another module path: make module TO=example.org/stele
module:
	go mod edit -module $(TO)
	find . -name '*.go' | xargs perl -pi -e 's{"stele/}{"$(TO)/}g'
