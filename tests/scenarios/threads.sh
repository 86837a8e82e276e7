# Threads under ThreadSanitizer: workers, a save that a thread writes, the history's thread, a recording, systems that
# run at the same time and a plugin with a thread of its own, without a data race. What LuaJIT compiles is not looked
# at, the engine around it is. By hand:
# ./shoal build --config thread shoal unit && LONG=1 sh tests/scenarios/threads.sh
# needs: thread thread/unit
# only with --long: a whole configuration is built for it
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

it "the jobs of workers share nothing but what they lock" clean "$(bin thread unit)" jobs

it "nor do a history and the thread that packs it" clean "$(bin thread unit)" history

asteroids() {
  rm -rf "$tmp/asteroids" "$XDG_DATA_HOME"
  cp -r scripts/games/asteroids "$tmp/asteroids"
  sed -i 's/^return {/return { autosave = 1,/' "$tmp/asteroids/game.lua"
  clean "$threaded" run "$tmp/asteroids" --headless --watch --ticks 300 --seed 1 --workers 2 --history 16 \
    --record "$tmp/replay"
  [ -s "$tmp/replay" ] || fail "nothing was recorded"
  [ -s "$XDG_DATA_HOME/shoal/saves/asteroids/autosave.sqlite" ] || fail "nothing was saved"
}
it "nor do Asteroids with two workers, saved every second by a thread and recorded" asteroids

it "nor compiled loops and managers in C" clean "$threaded" run tests/scenarios/games/workers --headless \
  --ticks 20 --seed 1 --workers 3 --record "$tmp/replay"

plugin() { # plugin SOURCE FLAG…: a game with it, in $tmp/game
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

of_a_plugin() {
  plugin threads
  sed -i 's/mark = {}/mark = {}, task = {}/; s/40000/5/' "$tmp/game/assemblages.lua" "$tmp/game/game.lua"
  clean "$threaded" run "$tmp/game" --headless --watch --ticks 30 --workers 2
}
it "nor does a plugin with a thread of its own" of_a_plugin

planted() { # with some work in it, so that one worker does not come to do all parts before another wakes up
  plugin odd '-DBODY=static int n; for (volatile int k = 0; k < 100000; ++k); n++' '-DSYSTEM=.name = "work", .parallel = true'
  run_for 120 "$threaded" run "$tmp/game" --headless --ticks 300 --workers 2
  grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/err" || fail "it is not seen: $(tail -n 5 "$tmp/err")"
}
it "a parallel system of a plugin that shares a counter is found" planted

any() { # random loops and systems of a plugin, beside each other
  rm -rf "$tmp/any"
  mkdir -p "$tmp/any/systems" "$tmp/any/plugins"
  luajit tests/scenarios/lib/together.lua 12 "$tmp/any" || fail "the game is not written"
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -fsanitize=thread -Iengine/include -o "$tmp/any/plugins/any.so" \
    "$tmp/any/plugins/any.c" || fail "the game does not compile"
  clean "$threaded" run "$tmp/any" --headless --strict --ticks 30 --seed 1 --workers 3 --stats
  grep -q '^stats: together update [a-z0-9., ]* us/run [1-9]' "$tmp/err" "$tmp/out" ||
    fail "no systems ran at the same time"
}
it "nor do systems that run at the same time" any

planted_beside() { # two systems that share a counter and do not say so
  plugin odd '-DBODY=static int n; for (volatile int k = 0; k < 100000; ++k); n++' \
    '-DSYSTEM=.name = "work", .query = {"mark"}, .reads = {"mark"}, .beside = true, .run = work}, {.name = "again", .reads = {"mark"}, .beside = true'
  run_for 120 "$threaded" run "$tmp/game" --headless --ticks 300 --workers 2
  grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/err" || fail "it is not seen: $(tail -n 5 "$tmp/err")"
}
it "two systems of a plugin that run at the same time and share a counter are found" planted_beside
