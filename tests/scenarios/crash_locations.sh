# Locations of crashes in plugins: the report names the plugin's function and, with debug information, the line. The
# tests cover all threads and all stages, from the constructor to closing, in the trial run (in a child process) and in
# the game itself.
# needs: release release/library
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

# build_game LOCATION FLAG…: creates $game with the plugin crasher, which crashes at LOCATION (see plugins/crasher.c)
build_game() {
  at=$1
  shift
  rm -rf "$game" && mkdir -p "$game/plugins"
  rm -f "$tmp"/*.crash.txt
  count=5
  [ "$at" != WORKER ] || count=40000
  echo "return { title = 'Crasher', plugins = { 'crasher' }, start = function() world.spawn_many('stone', $count) end }" >"$game/game.lua"
  echo 'return { stone = { components = { victim = {} } } }' >"$game/assemblages.lua"
  ${CC:-cc} -std=c11 -O1 -fPIC -shared -pthread -I"$root/engine/include" "-DAT=$at" "$@" -o "$game/plugins/crasher.so" "$here/crasher.c" ||
    fail "crasher.c does not compile with $at $*"
}

# is_located_in_trial_run LOCATION: expects that the trial run's child process crashes and the location is reported.
is_located_in_trial_run() {
  build_game "$1" -g
  run_for 30 "$release" run "$game" --headless --ticks 5
  says err "in crash_here at crasher.c:103"
  [ ! -e shoal-0.crash.txt ] || fail "the game itself crashed"
}
it "a crash in a plugin's constructor is caught in the trial run and reported with function and line" is_located_in_trial_run CONSTRUCTOR
it "a crash in a manager's create function is caught in the trial run and reported with function and line" is_located_in_trial_run CREATE
it "a crash in a plugin's open function is caught in the trial run and reported with function and line" is_located_in_trial_run OPEN
it "a crash in a plugin's first tick is caught in the trial run and reported with function and line" is_located_in_trial_run FIRST_TICK

# is_located LOCATION TEXT FLAG…: expects a crash of the program, and TEXT as its location in the report and stderr.
is_located() {
  at=$1 location=$2
  shift 2
  build_game "$at" "$@"
  set -- --ticks 8
  [ "$at" != FUNCTION ] || set -- --ticks 5 --exec 'shoal.plugins.crasher.crash()'
  run_for 30 "$release" run "$game" --headless --workers 2 "$@"
  [ "$status" -gt 128 ] || fail "expected a crash, got exit status $status: $(cat err)"
  cat "$tmp"/*.crash.txt >report || fail "no report: $(cat err)"
  grep -qF "code: plugin crasher, $location" report || fail "$(cat report)"
  grep -qF "library: $game/plugins/crasher.so" report || fail "$(cat report)"
  grep -qF "crash: plugin crasher, $location" err || fail "$(cat err)"
}
is_located_with_callers() { # the report lists the calling functions after the location
  is_located SYSTEM "crash_here at crasher.c:103" -g
  grep -q "^running: plugin crasher, system crasher.work" report || fail "$(cat report)"
  grep -q "^plugin crasher: in_system at .*plugins/crasher.c:[0-9][0-9]*$" report || fail "$(cat report)"
  grep -q "^plugin crasher: work at crasher.c:1[0-9][0-9]$" report || fail "$(cat report)"
}
it "a crash in a plugin's system in a later tick is reported with function, line and callers" is_located_with_callers
it "a crash in a parallel system on a worker thread is reported with function and line" is_located WORKER "crash_here at crasher.c:103" -g
it "a crash on a plugin's own thread is reported with function and line" is_located OWN_THREAD "crash_here at crasher.c:103" -g
it "a crash in a plugin function called by a script is reported with function and line" is_located FUNCTION "crash_here at crasher.c:103" -g
it "a crash in a plugin's close function at exit is reported with function and line" is_located CLOSE "crash_here at crasher.c:103" -g
it "a crash in the C library is reported with the plugin's calling function and line" is_located C_LIBRARY "crash_here at crasher.c:102" -g
heap_is_located() { # the report also lists the loaded plugins, because any of them may have damaged the heap
  is_located HEAP "corrupt_heap at crasher.c:113" -g
  grep -q "^heap: damaged, found by free" report || fail "$(cat report)"
  grep -qF "loaded plugin: crasher, $game/plugins/crasher.so, since the start" report || fail "$(cat report)"
  says err "run make sanitize"
}
it "a crash while the lock of a corrupt heap is held is reported with function and line" heap_is_located
it "a crash in a plugin with DWARF 4 debug information is reported with function and line" is_located SYSTEM "crash_here at crasher.c:103" -gdwarf-4
it "a crash in a plugin without debug information is reported with the name of the function" is_located SYSTEM "crash_here in crasher.so (no line numbers: compile with -g)"
it "a crash in a stripped plugin is reported with the plugin's name" is_located SYSTEM "an unnamed function in crasher.so (no line numbers" -s
