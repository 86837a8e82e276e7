#!/bin/sh
# needs: release
# reload.sh PROGRAM GAME COUNT FOLDER: repeatedly saves a system of a running game with COUNT entities and prints the
# median reload time in ms: value reload MS.
set -eu
program=$1 game=$2 count=$3 folder=$4/reload
rm -rf "$folder"
cp -R "$game" "$folder"
log=$folder/log
"$program" run "$folder" --headless --watch --seed 1 --workers 1 --budget 0 \
  --exec "world.single.bench.count = $count" >"$log" 2>&1 &
running=$!
trap 'kill "$running" 2>/dev/null || true' EXIT

reloads() { grep -c reloaded "$log" || true; }
waits() { # waits COMMAND…: retries the command until it succeeds; fails if the program exits
  until "$@"; do
    kill -0 "$running" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.02
  done
}
has_begun() { grep -q "seed" "$log"; }
has_reloaded() { [ "$(reloads)" -gt "$1" ]; }

waits has_begun
for number in 0 1 2 3 4 5 6; do # the first reload warms up and is not measured
  echo "-- $number" >>"$folder/systems/a_fill.lua"
  waits has_reloaded "$number"
done
sed -n 's/.*reloaded .* in \([0-9.]*\) ms.*/\1/p' "$log" | tail -n +2 | sort -n | sed -n '4s/^/value reload /p'
