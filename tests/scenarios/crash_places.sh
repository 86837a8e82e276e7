# A crash in a plugin names its function, and where there are lines the line: on every thread, from its constructors on,
# in what is tried in a copy and in earnest, and in a program that embeds Shoal.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

falls() { # falls AT FLAG…: a game with a plugin that does, in the folder game
  at=$1
  shift
  rm -rf "$game" && mkdir -p "$game/plugins"
  rm -f "$tmp"/*.crash.txt
  count=5
  [ "$at" != WORKER ] || count=40000
  echo "return { title = 'Falls', plugins = { 'falls' }, start = function() world.spawn_many('stone', $count) end }" >"$game/game.lua"
  echo 'return { stone = { components = { fallen = {} } } }' >"$game/assemblages.lua"
  ${CC:-cc} -std=c11 -O1 -fPIC -shared -pthread -I"$root/engine/include" "-DAT=$at" "$@" -o "$game/plugins/falls.so" "$here/falls.c" ||
    fail "falls.c does not compile with $at $*"
}

# tried AT FUNCTION: it is found in a copy of the process, and the sentence says where
tried() {
  falls "$1" -g
  run_for 30 "$release" run "$game" --headless --ticks 5
  says err "in falls_down at falls.c:103"
  [ ! -e shoal-0.crash.txt ] || fail "the program ended"
}
it "in a constructor" tried CONSTRUCTOR
it "in create of a manager" tried CREATE
it "in open" tried OPEN
it "in the first tick" tried FIRST_TICK

# ended AT CODE FLAG…: it ends the program, and report and error stream say where
ended() {
  at=$1 words=$2
  shift 2
  falls "$at" "$@"
  set -- --ticks 5
  [ "$at" != FUNCTION ] || set -- --ticks 5 --exec 'shoal.plugins.falls.fall()'
  run_for 30 "$release" run "$game" --headless --workers 2 "$@"
  [ "$status" -gt 128 ] || fail "exit status $status: $(cat err)"
  cat "$tmp"/*.crash.txt >report || fail "no report: $(cat err)"
  grep -qF "code: plugin falls, $words" report || fail "$(cat report)"
  grep -qF "library: $game/plugins/falls.so" report || fail "$(cat report)"
  grep -qF "crash: plugin falls, $words" err || fail "$(cat err)"
}
callers() { # what called it stands below
  ended SYSTEM "falls_down at falls.c:103" -g
  grep -q "^running: plugin falls, system falls.work" report || fail "$(cat report)"
  grep -q "^plugin falls: in_system at .*plugins/falls.c:[0-9][0-9]*$" report || fail "$(cat report)"
  grep -q "^plugin falls: work at falls.c:1[0-9][0-9]$" report || fail "$(cat report)"
}
it "in a system in a later tick, with what called it" callers
it "in a part of a parallel system, on a worker" ended WORKER "falls_down at falls.c:103" -g
it "on a thread of its own" ended OWN_THREAD "falls_down at falls.c:103" -g
it "in a function that a script calls" ended FUNCTION "falls_down at falls.c:103" -g
it "in close, when the game is over" ended CLOSE "falls_down at falls.c:103" -g
it "in the C library, which it has called" ended C_LIBRARY "falls_down at falls.c:102" -g
it "when the heap is corrupt and its lock is held" ended HEAP "breaks_heap at falls.c:113" -g
it "with lines of DWARF 4" ended SYSTEM "falls_down at falls.c:103" -gdwarf-4
it "without lines there is the function" ended SYSTEM "falls_down in falls.so (no line numbers: compile with -g)"
it "stripped there is the plugin" ended SYSTEM "an unnamed function in falls.so (no line numbers" -s
