# ThreadSanitizer must find no data race in workers, the thread that writes saves, the history's thread, recording,
# concurrent systems and a plugin with its own thread. Covers the engine, but not code compiled by LuaJIT. To run the
# suite by hand:
# ./shoal build --config thread shoal unit && LONG=1 sh tests/scenarios/thread_sanitizer.sh
# needs: thread thread/unit
# only with --long, because a whole configuration is built for it
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
threaded=$(bin thread)
export TSAN_OPTIONS="die_after_fork=0:exitcode=66"

clean() { # clean COMMAND…
  run_for 600 "$@"
  ! grep -q 'WARNING: ThreadSanitizer' "$tmp/err" ||
    fail "$(grep -c 'WARNING: ThreadSanitizer' "$tmp/err") reports; the first: $(grep -m 1 -A 11 'WARNING: Thr' "$tmp/err")"
  exits 0
}

it "the job system has no data races" clean "$(bin thread unit)" jobs

it "the history and its compression thread have no data races" clean "$(bin thread unit)" history

asteroids() {
  rm -rf "$tmp/asteroids" "$XDG_DATA_HOME"
  cp -r scripts/games/asteroids "$tmp/asteroids"
  sed -i 's/^return {/return { autosave = 1,/' "$tmp/asteroids/game.lua"
  clean "$threaded" run "$tmp/asteroids" --headless --watch --ticks 300 --seed 1 --workers 2 --history 16 \
    --record "$tmp/replay"
  [ -s "$tmp/replay" ] || fail "the recording is missing"
  [ -s "$XDG_DATA_HOME/shoal/saves/asteroids/autosave.sqlite" ] || fail "the save is missing"
}
it "Asteroids with two workers, autosave and a recording has no data races" asteroids

it "compiled loops and C managers have no data races" clean "$threaded" run tests/scenarios/games/workers --headless \
  --ticks 20 --seed 1 --workers 3 --record "$tmp/replay"

plugin() { # plugin SOURCE FLAG…: creates a game with this plugin in $tmp/game
  name=$1
  shift
  rm -rf "$tmp/game"
  mkdir -p "$tmp/game/plugins"
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -fsanitize=thread -pthread -Iengine/include "$@" \
    -o "$tmp/game/plugins/$name.so" "tests/scenarios/plugins/$name.c" || fail "$name.c does not compile"
  echo "return { title = 'Threads', plugins = { '$name' }, start = function() world.spawn_many('thing', 40000) end }" \
    >"$tmp/game/game.lua"
  echo 'return { thing = { components = { mark = {} } } }' >"$tmp/game/assemblages.lua"
  echo 'return { mark = { value = 1 } }' >"$tmp/game/components.lua"
}

plugin_thread() {
  plugin threads
  sed -i 's/mark = {}/mark = {}, task = {}/; s/40000/5/' "$tmp/game/assemblages.lua" "$tmp/game/game.lua"
  clean "$threaded" run "$tmp/game" --headless --watch --ticks 30 --workers 2
}
it "a plugin with its own thread has no data races" plugin_thread

planted_race() { # has so much work that no worker can finish all parts before another worker wakes up
  plugin odd '-DBODY=static int n; for (volatile int k = 0; k < 100000; ++k); n++' '-DSYSTEM=.name = "work", .parallel = true'
  run_for 120 "$threaded" run "$tmp/game" --headless --ticks 300 --workers 2
  grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/err" || fail "the data race was not reported: $(tail -n 5 "$tmp/err")"
}
it "a data race in a parallel plugin system is reported" planted_race

random_game() { # random loops and plugin systems that run concurrently
  rm -rf "$tmp/any"
  mkdir -p "$tmp/any/systems" "$tmp/any/plugins"
  luajit tests/scenarios/lib/concurrent_systems.lua 12 "$tmp/any" || fail "cannot generate the game"
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -fsanitize=thread -Iengine/include -o "$tmp/any/plugins/any.so" \
    "$tmp/any/plugins/any.c" || fail "the game does not compile"
  clean "$threaded" run "$tmp/any" --headless --strict --ticks 30 --seed 1 --workers 3 --stats
  grep -q '^stats: together update [a-z0-9., ]* us/run [1-9]' "$tmp/err" "$tmp/out" ||
    fail "no systems ran concurrently"
}
it "concurrent systems have no data races" random_game

# Two systems share a counter that they do not declare. The engine runs them sequentially or in parallel, whichever is
# faster; each system therefore waits up to 10 ms before its write, until both systems are running. The relaxed
# accesses order nothing, so ThreadSanitizer sees two unordered writes.
meeting='static int inside, met, n; struct timespec pause = {0, 100000}; __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED);
  for (int k = 0; k < 100 && !__atomic_load_n(&met, __ATOMIC_RELAXED); ++k)
    if (__atomic_load_n(&inside, __ATOMIC_RELAXED) > 1) __atomic_store_n(&met, 1, __ATOMIC_RELAXED);
    else nanosleep(&pause, NULL);
  n++; __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);'
planted_race_between_systems() {
  plugin odd "-DBODY=$(echo "$meeting" | tr '\n' ' ')" '-DINCLUDE=<time.h>' \
    '-DSYSTEM=.name = "work", .query = {"mark"}, .reads = {"mark"}, .concurrent = true, .run = work}, {.name = "again", .reads = {"mark"}, .concurrent = true'
  run_for 120 "$threaded" run "$tmp/game" --headless --ticks 300 --workers 2
  grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/err" || fail "the data race was not reported: $(tail -n 5 "$tmp/err")"
}
it "a data race between concurrent plugin systems is reported" planted_race_between_systems

shipped_game() { # shipped_game FOLDER: 60 ticks with four workers, and with the shipped plugins built for ThreadSanitizer
  clean "$threaded" run "$1" --trust --headless --no-watch --ticks 60 --seed 1 --workers 4
}
for game in scripts/games/*/game.lua scripts/examples/*/game.lua scripts/examples/*/*/game.lua; do
  game=${game%/game.lua}
  it "${game#scripts/} with four workers has no data races" shipped_game "$game"
done
