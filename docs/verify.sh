#!/bin/sh
# Verifies a signed release without Stele: with openssl and what every Unix has.
#
#   sh verify.sh FOLDER 'data.example.org+4b3c2d1e+AX…'
#
# It checks that the key signed the log, that the log has the manifest in it, and that every file
# has the SHA-256 that the manifest says. It does not know what was seen before, so it cannot
# notice a log that goes back or is rewritten, and it follows no change of keys. Single records and
# pages, which the listings of the manifest pin, are left to those who use them.
set -eu
dir=${1:?"folder of the release"} key=${2:?"public key of the publisher"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "not verified: $1" >&2; exit 1; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
# bytes writes what stands as hexadecimal digits on standard input.
bytes() { sed 's/../&\n/g' | while read -r b; do [ -z "$b" ] || printf "\\$(printf %03o "0x$b")"; done; }
hash() { bytes | openssl dgst -sha256 -binary | hex; }
fromBase64() { printf '%s\n' "$1" | openssl base64 -d -A | hex; }

# 1. The leaf of this release, from its manifest.
m=$dir/manifest.json
sum=$(openssl dgst -sha256 -binary <"$m" | hex)
top() { sed -n "s/^ \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$m" | head -n 1; }
previous=$(sed -n '/^ "previous": {$/,/^ }/s/^  "release": "\(.*\)",\{0,1\}$/\1/p' "$m")
printf 'stele-release/1\nservice %s\nrelease %s\ndate %s\nprevious %s\nmanifest %s %d\n' \
	"$(top base_url)" "$(top release)" "$(top date)" "${previous:-none}" "$sum" "$(wc -c <"$m")" >"$work/leaf"

# 2. The proof: an index, hashes, and a signed checkpoint behind an empty line.
proof=$dir/manifest.json.tlog-proof
[ -f "$proof" ] || fail "there is no manifest.json.tlog-proof: the release is not signed"
[ "$(head -n 1 "$proof")" = "c2sp.org/tlog-proof@v1" ] || fail "the proof does not begin as one does"
index=$(sed -n 's/^index //p' "$proof" | head -n 1)
sed '1,/^$/d' "$proof" >"$work/checkpoint"
sed '/^$/,$d' "$work/checkpoint" >"$work/text"
origin=$(sed -n 1p "$work/text") size=$(sed -n 2p "$work/text")
root=$(fromBase64 "$(sed -n 3p "$work/text")")

# 3. The signature of the checkpoint.
name=${key%%+*}
[ "$origin" = "$name" ] || fail "this is the log of $origin, and the key is for $name"
rest=${key#*+}
public=$(fromBase64 "${rest#*+}")
printf '302a300506032b6570032100%s' "${public#01}" | bytes >"$work/key"
good=no
sed -n "s|^— $name ||p" "$work/checkpoint" >"$work/signatures"
while read -r line; do
	fromBase64 "$line" | cut -c 9- | bytes >"$work/signature"
	if openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/text" \
		-sigfile "$work/signature" >/dev/null 2>&1; then good=yes; fi
done <"$work/signatures"
[ $good = yes ] || fail "the key did not sign this log"

# 4. The way from the leaf to the root (RFC 9162, 2.1.3.2).
node=$({ printf 00; hex <"$work/leaf"; } | hash)
first=$index last=$((size - 1))
sed '/^$/,$d' "$proof" | tail -n +3 >"$work/path"
while read -r line; do
	[ "$last" -gt 0 ] || fail "the proof is too long"
	beside=$(fromBase64 "$line")
	if [ $((first % 2)) = 1 ] || [ "$first" = "$last" ]; then
		node=$(printf '01%s%s' "$beside" "$node" | hash)
		while [ $((first % 2)) = 0 ] && [ "$first" != 0 ]; do first=$((first / 2)) last=$((last / 2)); done
	else
		node=$(printf '01%s%s' "$node" "$beside" | hash)
	fi
	first=$((first / 2)) last=$((last / 2))
done <"$work/path"
[ "$last" = 0 ] && [ "$node" = "$root" ] || fail "the log does not have this manifest in it"

# 5. Every file that the manifest lists.
tr -d '\n' <"$m" | sed 's/"path": *"/\n/g' | sed -n 's/^\([^"]*\)", *"size": *[0-9]*, *"sha256": *"\([0-9a-f]*\)".*/\2  \1/p' >"$work/sums"
(cd "$dir" && sha256sum --quiet -c "$work/sums") || fail "files differ from the manifest"
echo "verified: entry $((index + 1)) of $size in the log of $origin, $(wc -l <"$work/sums") files"
