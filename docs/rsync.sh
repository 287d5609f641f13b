#!/bin/sh
# Copies a release to a host that has only rsync, and copies only changed files: first files to which
# nothing links yet, then other new files, then changed files, then the manifest. Removed files are
# deleted last.
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
