#!/bin/sh
# Verifies a signed release without Stele, with openssl and the tools of every Unix.
#
#   sh verify.sh FOLDER 'data.example.org+4b3c2d1e+AX…'
#
# It checks that the key, or a key that replaced it in the log, signed the log, that the log contains
# the manifest, that every file has the SHA-256 in the manifest or in one of its listings, and that
# there are no other files. Its last lines say what it did not check. It does not remember earlier
# logs, so it cannot notice a log that goes back or is rewritten.
set -eu
dir=${1:?"folder of the release"} key=${2:?"public key of the publisher"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "not verified: $1" >&2; exit 1; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
# bytes converts hexadecimal digits on standard input to bytes.
bytes() { { fold -w 2; echo; } | while read -r b; do [ -z "$b" ] || printf "\\$(printf %03o "0x$b")"; done; }
hash() { bytes | openssl dgst -sha256 -binary | hex; }
fromBase64() { printf '%s\n' "$1" | openssl base64 -d -A | hex; }

# 1. How a proof is read: an index, hashes, and a signed checkpoint behind an empty line. Where a
# release was not built on the one before it in the log, the second line gives the reason.
proof() { # FILE
	sed '/^$/,$d' "$1" >"$work/head"
	[ "$(sed -n 1p "$work/head")" = "c2sp.org/tlog-proof@v1" ] || fail "the proof does not begin as one does"
	: >"$work/extra"
	case $(sed -n 2p "$work/head") in "extra "*)
		fromBase64 "$(sed -n '2s/^extra //p' "$work/head")" | bytes >"$work/extra"
		sed 2d "$work/head" >"$work/rest" && mv "$work/rest" "$work/head" ;;
	esac
	index=$(sed -n '2s/^index \([0-9]*\)$/\1/p' "$work/head")
	[ -n "$index" ] || fail "the proof does not name an entry of the log"
	sed '1,/^$/d' "$1" >"$work/checkpoint"
	sed '/^$/,$d' "$work/checkpoint" >"$work/text"
	origin=$(sed -n 1p "$work/text") size=$(sed -n 2p "$work/text")
	root=$(fromBase64 "$(sed -n 3p "$work/text")")
}

# signed reports whether one of the trusted keys signed the checkpoint of the proof.
signed() {
	[ "$origin" = "$name" ] || fail "this is the log of $origin, and the key is for $name"
	sed -n "s|^— $name ||p" "$work/checkpoint" >"$work/signatures"
	while read -r trusted; do
		rest=${trusted#*+}
		public=$(fromBase64 "${rest#*+}")
		printf '302a300506032b6570032100%s' "${public#01}" | bytes >"$work/key"
		while read -r line; do
			[ "$(fromBase64 "$line" | cut -c 1-8)" = "${rest%%+*}" ] || continue
			fromBase64 "$line" | cut -c 9- | bytes >"$work/signature"
			if openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/text" \
				-sigfile "$work/signature" >/dev/null 2>&1; then return 0; fi
		done <"$work/signatures"
	done <"$work/trusted"
	return 1
}

# holds reports whether the proof leads from a leaf to the root (RFC 9162, 2.1.3.2).
holds() { # LEAF
	node=$({ printf 00; hex <"$1"; } | hash)
	first=$index last=$((size - 1))
	sed 1,2d "$work/head" >"$work/path"
	while read -r line; do
		[ "$last" -gt 0 ] || return 1
		beside=$(fromBase64 "$line")
		if [ $((first % 2)) = 1 ] || [ "$first" = "$last" ]; then
			node=$(printf '01%s%s' "$beside" "$node" | hash)
			while [ $((first % 2)) = 0 ] && [ "$first" != 0 ]; do first=$((first / 2)) last=$((last / 2)); done
		else
			node=$(printf '01%s%s' "$node" "$beside" | hash)
		fi
		first=$((first / 2)) last=$((last / 2))
	done <"$work/path"
	[ "$last" = 0 ] && [ "$node" = "$root" ]
}

# 2. The keys that may sign: the given one, and those that the log adds and retires. Each of these
# entries has a proof, signed with a key that was trusted before.
name=${key%%+*}
printf '%s\n' "$key" >"$work/trusted"
: >"$work/changes"
if [ -d "$dir/log/tile/entries" ]; then
	find "$dir/log/tile/entries" -type f -exec cat {} + | LC_ALL=C tr -d '\000' |
		LC_ALL=C sed -n "/^add $name+/p; /^retire $name+/p" | sort -u >"$work/changes"
fi
: >"$work/proven"
for n in $(ls "$dir/log/keys" 2>/dev/null | sed -n 's/^\([0-9]*\)\.tlog-proof$/\1/p' | sort -n); do
	proof "$dir/log/keys/$n.tlog-proof"
	[ "$index" = "$n" ] || fail "log/keys/$n.tlog-proof is for another entry"
	found=no
	while read -r change; do
		printf 'stele-key/1\n%s\n' "$change" >"$work/leaf"
		if holds "$work/leaf"; then found=$change; break; fi
	done <"$work/changes"
	[ "$found" != no ] || fail "log/keys/$n.tlog-proof proves nothing that the log says of a key"
	printf '%s\n' "$found" >>"$work/proven"
	signed || continue # with only a later key, earlier entries cannot be checked
	grep -vxF "${found#* }" "$work/trusted" >"$work/left" || true
	case $found in "add "*) printf '%s\n' "${found#add }" >>"$work/left" ;; esac
	mv "$work/left" "$work/trusted"
done
while read -r change; do
	grep -qxF "$change" "$work/proven" || fail "log/keys has no proof of: $change"
done <"$work/changes"

# 3. The proof of this release, and who signed it.
[ -f "$dir/manifest.json.tlog-proof" ] || fail "there is no manifest.json.tlog-proof: the release is not signed"
proof "$dir/manifest.json.tlog-proof"
signed || fail "the key did not sign this log, nor did one that it announced"

# 4. The leaf of this release, from its manifest, is in the log.
m=$dir/manifest.json
sum=$(openssl dgst -sha256 -binary <"$m" | hex)
top() { sed -n "s/^ \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$m" | head -n 1; }
previous=$(sed -n '/^ "previous": {$/,/^ }/s/^  "release": "\(.*\)",\{0,1\}$/\1/p' "$m")
printf 'stele-release/1\nservice %s\nrelease %s\ndate %s\nprevious %s\nmanifest %s %d\n' \
	"$(top base_url)" "$(top release)" "$(top date)" "${previous:-none}" "$sum" "$(wc -c <"$m")" >"$work/leaf"
cat "$work/extra" >>"$work/leaf"
holds "$work/leaf" || fail "the log does not have this manifest in it"

# 5. Every file that the manifest lists, then those of its listings: pages and histories with all
# that is said of them, single records by their IDs.
sums() { { tr -d '\n' <"$1"; echo; } | awk '{ gsub(/"path": *"/, "\n"); print }' | sed -n 's/^\([^"]*\)", *"size": *[0-9]*, *"sha256": *"\([0-9a-f]*\)".*/\2  \1/p'; }
check() { (cd "$dir" && if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi) >"$work/checked" 2>&1 ||
	fail "files differ from $2: $(grep -v ': OK$' "$work/checked" | head -n 3)"; }
sums "$m" >"$work/sums"
check "$work/sums" "the manifest"
: >"$work/listed"
for listing in $(sed -n -E 's/^ "(histories|pages)": "(.*)",?$/\2/p' "$m"); do sums "$dir/$listing" >>"$work/listed"; done
sed -n -E 's/^   "(index|single)": "(.*)",?$/\1 \2/p' "$m" | while read -r what path; do
	case $what in
	index) listing=$path ;;
	single) sed -n 's/^{"id":"\([^"]*\)".*,"sha256":"\([0-9a-f]*\)".*$/\2  \1/p' "$dir/$listing" |
		sed "s|  \(.*\)|  ${path%%{*}\1${path##*\}}|" >>"$work/listed" ;;
	esac
done
if [ -s "$work/listed" ]; then check "$work/listed" "the listings"; fi

# 6. Files with other names: files by digest, and compressed single records.
(cd "$dir" && if [ -d by-hash ]; then find by-hash -type f; fi) | sed 's|^by-hash/\(.*\)$|\1  by-hash/\1|' >"$work/named"
if [ -s "$work/named" ]; then check "$work/named" "their names"; fi
cat "$work/sums" "$work/listed" "$work/named" | sed 's/^[^ ]*  //' | sort >"$work/known"
(cd "$dir" && find . -type f) | sed 's|^\./||' | sort | comm -13 "$work/known" - >"$work/others"
unchecked=0 copies=0
while read -r path; do
	case $path in
	manifest.json | manifest.json.tlog-proof) continue ;;
	log/*) unchecked=$((unchecked + 1)); continue ;;
	*.gz) with=gzip ;;
	*.zst) with=zstd ;;
	*.br) with=brotli ;;
	*) fail "$path does not belong to the release" ;;
	esac
	grep -qxF "${path%.*}" "$work/known" || fail "$path does not belong to the release"
	if ! command -v $with >/dev/null; then copies=$((copies + 1)); continue; fi
	$with -dc <"$dir/$path" 2>/dev/null | cmp -s - "$dir/${path%.*}" || fail "$path is not a compressed ${path%.*}"
done <"$work/others"
echo "verified: entry $((index + 1)) of $size in the log of $origin, $(wc -l <"$work/known" | tr -d ' ') files"
[ ! -s "$work/extra" ] || echo "its entry in the log has the line: $(cat "$work/extra")"
echo "not checked: $unchecked files of the log, but for the signed entry and the proofs of keys$([ $copies = 0 ] || echo "; $copies files that zstd or brotli would read, which are not installed")"
