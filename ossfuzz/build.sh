#!/bin/bash -eu
# build.sh builds every fuzz test of the project in the form that OSS-Fuzz runs.
# With --list it only says which there are: a package and a test on each line.

cd "$(dirname "$0")/.."

targets() {
	module=$(sed -n 's/^module //p' go.mod)
	grep -rnE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+\(f \*testing\.F\)' . |
		sed -E "s|^\./(.*)/[^/]+:[0-9]+:func (Fuzz[A-Za-z0-9]+).*|$module/\1 \2|" |
		LC_ALL=C sort
}

if [ "${1:-}" = --list ]; then
	targets
	exit
fi

# what the programs are linked with
printf 'package ossfuzz\n\nimport _ "github.com/AdamKorcz/go-118-fuzz-build/testing"\n' >ossfuzz/register.go
go get github.com/AdamKorcz/go-118-fuzz-build/testing

targets | while read -r package test; do
	compile_native_go_fuzzer "$package" "$test" "$(echo "${package##*/}_$test" | tr '[:upper:]' '[:lower:]')"
done
