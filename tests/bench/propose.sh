#!/bin/sh
# needs: release
# propose.sh PROGRAM GAME FOLDER: prints in which time the cockpit of a held game answers a proposal, for each kind and
# for a rename: value propose KIND MEDIAN_MS CPU_MS. GAME: a folder with the files of Asteroids.
set -eu
program=$1 game=$2 folder=$3/propose here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder/runtime"
chmod 700 "$folder/runtime"
cp -R "$game" "$folder/game"
export XDG_RUNTIME_DIR="$folder/runtime" XDG_DATA_HOME="$folder/data"
"$program" run "$folder/game" --headless --no-watch --seed 1 --cockpit >"$folder/log" 2>&1 &
running=$!
trap 'kill "$running" 2>/dev/null || true' EXIT
until [ -s "$(echo "$folder"/runtime/shoal/[0-9]*)" ]; do
  kill -0 "$running" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.02
done
luajit "$here/../scenarios/lib/cockpit.lua" propose_times "$(ls "$folder/runtime/shoal")" "$running"
