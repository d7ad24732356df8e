#!/bin/sh
# Starts a guanxi binary as nobody, with nothing writable but its data, calls it, and ends it.
# Needs root, since it mounts everything else read-only in a namespace of its own.
set -eu
[ $# = 1 ] || { echo "usage: $0 BINARY" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "this needs root; run: sudo $0 $1" >&2; exit 2; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
mkdir "$place/data"
chown 65534:65534 "$place/data"
install -m 755 "$1" "$place/guanxi"
# shellcheck disable=SC2016 # expanded inside
unshare --mount --propagation private sh -eu -c '
  place=$1
  mount --bind "$place/data" "$place/data"
  cut -d " " -f 2 /proc/mounts | while read -r mount; do
    [ "$mount" = "$place/data" ] || mount -o remount,bind,ro "$mount" 2>/dev/null || :
  done
  cd /
  nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs env -i "$@"; }
  for elsewhere in "$place" /tmp /var/tmp /dev/shm; do
    ! nobody touch "$elsewhere/guanxi-was-here" 2>/dev/null || { echo "$elsewhere is writable" >&2; exit 1; }
  done
  # Not by the function: its process is that of a shell, and signals must reach the server.
  setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs env -i "$place/guanxi" serve --data "$place/data" --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 \
    --free-space-reserve-mib 1 &
  server=$!
  tries=0
  until nobody "$place/guanxi" health --data "$place/data" 2>/dev/null; do
    kill -0 "$server" || { echo "the server ended" >&2; exit 1; }
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || { echo "the server was not ready in time" >&2; kill "$server"; exit 1; }
    sleep 0.2
  done
  kill -TERM "$server"
  wait "$server"
  nobody "$place/guanxi" verify --data "$place/data"
' sh "$place"
echo "it serves as nobody, and writes to its data alone"
