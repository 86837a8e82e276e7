#!/bin/sh
# needs: release
# reload.sh PROGRAM GAME COUNT FOLDER: saves a system of a game with so many entities again and again while it runs, and
# says how long the program took for each reload: value reload MS, the median.
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
waits() { # waits COMMAND…: until it holds, for as long as the program runs
  until "$@"; do
    kill -0 "$running" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.02
  done
}
has_begun() { grep -q "seed" "$log"; }
has_reloaded() { [ "$(reloads)" -gt "$1" ]; }

waits has_begun
for number in 0 1 2 3 4 5 6; do # the first one is not counted
  echo "-- $number" >>"$folder/systems/a_fill.lua"
  waits has_reloaded "$number"
done
sed -n 's/.*reloaded .* in \([0-9.]*\) ms.*/\1/p' "$log" | tail -n +2 | sort -n | sed -n '4s/^/value reload /p'
