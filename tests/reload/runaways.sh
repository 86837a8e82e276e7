# Endless scripts of all kinds in the shipped program: they are stopped, the game continues, and its world is the same
# as if they had never run.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
budget=25 # ms; with the default of 100 the tests would only take longer
max_ms=$((budget + 30 * SLOW_CPU / 100))

# stops_endless_functions NAME COUNT SEED BINARY [KIND]: runs a game with COUNT endless functions, each of which must be
# stopped.
stops_endless_functions() {
  game=$tmp/$1
  rm -rf "$game"
  ticks=$(luajit tests/reload/runaways.lua "$game" "$2" "$3" "${5-}" | cut -f 1)
  run_for 200 "$4" run "$game" --headless --watch --ticks "$ticks" --hash --workers 1 --budget "$budget" --log debug
  exits 1
  stopped=$(grep -c '^error: error in ' "$tmp/err")
  [ "$stopped" = "$2" ] || fail "$stopped of $2 pieces failed: $(grep -a '^error' "$tmp/err" | tail -n 3)"
  grep '^world' "$tmp/out" >"$tmp/sum"
  stop_times "$tmp/err" >>"$tmp/times"
  names_lines "$game/lines"
}

names_lines() { # names_lines FILE: each source location listed in FILE must be in the log
  [ -s "$1" ] || fail "the list of source locations is empty"
  while read -r place; do
    grep -qaF -- "$place " "$tmp/err" || fail "$place is not named: $(grep -aF "${place%%:*}" "$tmp/err" | head -n 2)"
  done <"$1"
}

# game NAME COUNT SEED BINARY: also compares the world with the world of the game without the endless code. The hash
# includes the parked functions.
game() {
  stops_endless_functions "$@"
  rm -rf "$game.tame"
  luajit tests/reload/runaways.lua "$game.tame" "$2" "$3" tame >/dev/null
  run_for 200 "$4" run "$game.tame" --headless --watch --ticks "$ticks" --hash --workers 1 --strict
  exits 0
  [ -s "$tmp/sum" ] || fail "the game printed no checksum: $(tail -n 3 "$tmp/out")"
  says out "$(cat "$tmp/sum")"
}

# Prints the CPU time in ms after which each function was stopped.
stop_times() { sed -n 's/.*watchdog: .* after \([0-9.]*\) ms$/\1/p' "$1"; }

# The host of a virtual machine may take CPU time from it, so one function in fifty may be stopped late.
stopped_in_time() {
  [ -s "$tmp/times" ] || fail "no function was stopped"
  sort -n "$tmp/times" | awk -v max_ms="$max_ms" '
    { all[NR] = $1 }
    END { printf "# %d stopped at %s ms: half within %.1f ms, the worst %.1f ms\n", NR, "'"$budget"'", all[int((NR + 1) / 2)], all[NR] > "/dev/stderr"
          exit all[NR - int(NR / 50)] > max_ms || all[NR] > 10 * max_ms }' ||
    fail "at most 2 % may take longer than $max_ms ms: $(sort -n "$tmp/times" | tail -n 5 | tr '\n' ' ')"
}

stops_in_many_games() { # NAME GAMES COUNT BINARY
  seed=1
  while [ "$seed" -le "$2" ]; do
    game "$1$seed" "$3" "$((seed * 31))" "$4"
    seed=$((seed + 1))
  done
}

games=2
[ -z "$LONG" ] || games=33
rm -f "$tmp/times"
it "endless scripts of all kinds are stopped, reported with their line, and leave the world unchanged" stops_in_many_games release "$games" 60 "$release"
it "endless event handlers and enter functions are stopped" stops_endless_functions told 52 9 "$release" told
it "98 % of endless scripts are stopped within 30 ms of CPU time after exceeding the budget" stopped_in_time
replay_skips_stopped() {
  game=$tmp/again
  rm -rf "$game"
  ticks=$(luajit tests/reload/runaways.lua "$game" 12 3 | cut -f 1)
  run_for 100 "$release" run "$game" --headless --watch --ticks "$ticks" --hash --budget "$budget" --record "$tmp/again.replay"
  exits 1
  grep '^tick' "$tmp/out" >"$tmp/hash"
  grep '^error' "$tmp/err" >"$tmp/failures"
  run_for 100 "$release" run "$game" --headless --hash --replay "$tmp/again.replay"
  exits 1
  grep '^error' "$tmp/err" | cmp - "$tmp/failures" || fail "the replay reported: $(cat "$tmp/err")"
  says err "$ticks ticks match the recording"
  says out "$(cat "$tmp/hash")"
}
it "a replay skips the functions that were stopped in the recording" replay_skips_stopped
budget=100 # the sum of the world takes longer with sanitizers, and must not be stopped
it "endless scripts are also stopped in a build with sanitizers" stops_in_many_games sanitize 1 "$(if [ -n "$LONG" ]; then echo 200; else echo 20; fi)" "$sanitized"
