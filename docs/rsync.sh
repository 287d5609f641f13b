#!/bin/sh
# Brings a release to a host with rsync alone, and only what changed: what nobody knows of yet first,
# then what is new, then what changed, then the manifest, and what is gone last.
#
#   sh rsync.sh RELEASE HOST:FOLDER
set -eu
from=${1%/}/
to=${2%/}/
last='--exclude=/manifest.json --exclude=/manifest.json.tlog-proof --exclude=/log/checkpoint'
rsync -a --include='/by-hash/***' --include='/assets/***' --include='/log/' --include='/log/tile/***' --exclude='*' "$from" "$to"
rsync -a --ignore-existing $last "$from" "$to"
rsync -a --delay-updates $last "$from" "$to"
rsync -a --delay-updates "$from" "$to"
rsync -a --delete "$from" "$to"
