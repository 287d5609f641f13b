#!/bin/sh
# Makes the root folder of the container: the program, the root certificates for https, and the
# folders to which the program may write.
#
#   sh deploy/image.sh ROOT [CERTIFICATES]
set -eu
root=$1
certificates=${2:-/etc/ssl/certs/ca-certificates.crt}
mkdir -p "$root/etc/ssl/certs" "$root/tmp" "$root/var/cache/stele"
chmod 755 "$root"
chmod 1777 "$root/tmp" "$root/var/cache/stele"
cp "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$root/stele" ./cmd/stele
