# External input (saves, scenes, chunks of --exec, input of plugins) is part of a recording. A replay does not read the
# files, ticks that are re-simulated after a rewind receive the recorded input again, and a system that was stopped by
# the watchdog is stopped at the same instruction.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export XDG_DATA_HOME=$tmp/data WIRE=$tmp/wire

game=$tmp/reader
mkdir -p "$game/systems" "$game/plugins" "$game/assets" "$XDG_DATA_HOME/shoal/saves/reader"
saves=$XDG_DATA_HOME/shoal/saves/reader
${CC:-cc} -std=c11 -O2 -ffp-contract=off -fPIC -shared -I"$root/engine/include" -o "$game/plugins/wire.so" \
  "$root/tests/scenarios/plugins/wire.c" || exit 1
cat >"$game/game.lua" <<'END'
return { title = "Reader", plugins = { "wire" }, start = function()
  world.spawn("box", { box = { value = 1 } })
  for _, e in ipairs(world.import("first")) do e.box.value = e.box.value + 0.5 end
end }
END
echo 'return { box = { value = 0 }, seen = shoal.types.single { assets = 0, loads = 0 } }' >"$game/components.lua"
echo 'return { box = { components = { box = {} } } }' >"$game/assemblages.lua"
cat >"$game/systems/read.lua" <<'END'
return { update = function()
  local seen = world.single.seen
  if assets.exists("late.png") then seen.assets = seen.assets + 1 end
  if world.tick % 10 == 3 then world.import("more") end
  if world.tick == 25 and seen.loads == 0 then world.load("before") end
  for e in world.each("box") do e.box.value = e.box.value * 1.01 + seen.assets end
end }
END
scene() { printf '{ "format": 1, "entities": [ { "assemblage": "box", "components": { "box": { "value": %s } } } ] }\n' "$1"; }
scene 7 >"$saves/first.json"
scene 8 >"$saves/more.json"
printf 'hello' >"$WIRE"

runs() { # runs ARGUMENT…: runs the game headless and writes its hashes to $tmp/hashes
  run_for 60 "$release" run "$game" --trust --headless --no-watch --hash every=5 "$@"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

recorded() {
  runs --ticks 8 --save "$saves/before.sqlite" --exec 'world.single.seen.loads = 1'
  exits 0
  runs --ticks 4 --save "$tmp/given.sqlite" --exec 'world.spawn("box", { box = { value = 100 } })'
  exits 0
  rm -f "$WIRE.asked"
  runs --ticks 60 --record "$tmp/recording" --load "$tmp/given.sqlite" --exec 'world.spawn("box", { box = { value = 99 } })' \
    --exec 'world.import("more")'
  exits 0 err "loaded before"
  cp hashes first
  grep -c '^tick 20 ' first | grep -q 2 || fail "loading the save had no effect: $(cat first)"
  [ -s "$WIRE.asked" ] || fail "the plugin read nothing"
}
it "a recorded run loads saves, imports scenes and reads a plugin's input" recorded

replays_the_same() {
  requires recorded
  rm -f "$WIRE.asked"
  runs --replay "$tmp/recording" "$@"
  exits 0 err "match the recording"
  cmp -s first hashes || fail "$(diff first hashes | head -n 4)"
  [ ! -e "$WIRE.asked" ] || fail "the plugin read its input in a replay"
}
it "a replay gives the same hashes without reading external input" replays_the_same

without_files() {
  requires recorded
  mkdir -p kept
  mv "$saves"/* "$tmp/given.sqlite" "$WIRE" kept/
  touch "$game/assets/late.png"
  replays_the_same
  replays_the_same --load "$tmp/nothing_here.sqlite"
  replays_the_same --exec 'world.import("more")'
  mv kept/given.sqlite kept/wire "$tmp"
  mv kept/* "$saves"
  rm "$game/assets/late.png"
}
it "a replay does not need the files that the recorded run has read, and ignores new files" without_files

recorded_again() {
  requires recorded
  runs --replay "$tmp/recording" --record "$tmp/second"
  exits 0
  mkdir -p kept
  mv "$tmp/recording" kept/recording
  mv "$tmp/second" "$tmp/recording"
  replays_the_same
  mv kept/recording "$tmp/recording"
}
it "a recording of a replay contains the replayed external input" recorded_again

missing_import() {
  requires recorded
  sed -i 's/import("more")/import("other")/' "$game/systems/read.lua"
  runs --replay "$tmp/recording"
  sed -i 's/import("other")/import("more")/' "$game/systems/read.lua"
  exits 1 err 'the recording does not contain the scene other, which tick 14 requests'
}
it "an import that the recording does not contain is an error with its tick in a replay" missing_import

different_arithmetic() {
  requires recorded
  cat >"$tmp/forge.lua" <<'END'
local ffi = require("ffi")
ffi.cdef "uint64_t XXH3_64bits_withSeed(const void *data, size_t bytes, uint64_t seed);"
local file = io.open(arg[1], "rb")
local text = file:read("*a")
file:close()
local at, size = 16 + 128 + 24 + 24, 128 + 24 + 24 + 64
local bytes = ffi.new("uint8_t[?]", #text, text)
ffi.copy(bytes + at, "abacus-1/00\0")
ffi.cast("uint64_t *", bytes + 16 + size)[0] = ffi.load("xxhash").XXH3_64bits_withSeed(bytes + 16, size, 0)
file = io.open(arg[2], "wb")
file:write(ffi.string(bytes, #text))
file:close()
END
  luajit "$tmp/forge.lua" "$tmp/recording" "$tmp/forged"
  runs --replay "$tmp/forged"
  exits 2
  expect_one_line err
  says err "was recorded with abacus-1/00 arithmetic, but this program uses"
}
it "a recording made with a different version of the arithmetic is rejected, and the error names both versions" \
  different_arithmetic

save_names_arithmetic() {
  requires recorded
  cp "$tmp/given.sqlite" "$tmp/abacus.sqlite"
  runs --ticks 5 --load "$tmp/abacus.sqlite"
  exits 0
  grep -q arithmetic err && fail "a matching arithmetic was reported: $(cat err)"
  hash=$(tail -n 1 hashes)
  "$release" sql "$tmp/given.sqlite" "SELECT value FROM meta WHERE key = 'arithmetic'" >out
  grep -q '^sleef-' out || fail "the save does not name its arithmetic: $(cat out)"
}
it "a save stores the version of the arithmetic that it was made with" save_names_arithmetic

# After a rewind the recorded input is fed again, even though the files have changed in the meantime.
rewound() {
  cp -R "$game" travel
  mkdir -p "$XDG_DATA_HOME/shoal/saves/travel"
  scene 7 >"$XDG_DATA_HOME/shoal/saves/travel/first.json"
  scene 8 >"$XDG_DATA_HOME/shoal/saves/travel/more.json"
  echo 'return { update = function() if world.tick % 10 == 3 then world.import("more") end end }' >travel/systems/read.lua
  cat >travel/systems/zz_travel.lua <<END
local ffi = require "ffi"
ffi.cdef "int rename(const char *from, const char *to);"
return { phase = "post_update", update = function()
  if world.tick == 40 and ffi.C.rename("$tmp/changed.json", "$XDG_DATA_HOME/shoal/saves/travel/more.json") == 0 then
    world.restore(11, { replay = true })
  end
end }
END
  sed -i 's/^return {/return { native = true,/' travel/game.lua
  scene 1000 >changed.json
  rm -f "$WIRE.asked"
  run_for 60 "$release" run travel --trust --headless --no-watch --history 64 --ticks 60 --hash every=5 --record travelled
  exits 0 err "no differences"
  grep '^tick' out >travel_hashes
  scene 1000 >changed.json
  run_for 60 "$release" run travel --trust --headless --no-watch --hash every=5 --replay travelled
  exits 0 err "match the recording"
  grep '^tick' out | cmp -s - travel_hashes || fail "hashes differ: $(cat out)"
}
it "ticks that are re-simulated after a rewind receive the recorded input" rewound

# Of two ticks with the same input, only the first waits until the watchdog stops the system.
rewound_stop() {
  rm -rf stops
  mkdir -p stops/systems
  echo 'return { native = true }' >stops/game.lua
  echo 'return { update = function() if world.tick == 20 then print("hangs") while true do end end end }' >stops/systems/a.lua
  cat >stops/systems/zz_travel.lua <<END
local ffi = require "ffi"
ffi.cdef "int unlink(const char *path);"
return { phase = "post_update", update = function()
  if world.tick == 40 and ffi.C.unlink("$tmp/once") == 0 then world.restore(11, { replay = true }) end
end }
END
  touch once
  run_for 60 "$release" run stops --trust --headless --no-watch --history 64 --budget 100 --ticks 60
  exits 1 err "no differences"
  [ "$(grep -c hangs out)" = 1 ] || fail "the system ran again: $(cat out err)"
}
it "ticks that are re-simulated after a rewind do not run a system that the watchdog has stopped" rewound_stop

too_many_bytes() {
  runs --ticks 1 --exec 'return shoal.plugins.wire.lie()' --exec 'return shoal.plugins.wire.pure()'
  exits 0
  [ "$(grep -c '^0$' out)" = 2 ] || fail "output: $(cat out)"
  says err '`read` returned 9 bytes, but the buffer has 8'
}
it "plugin input that claims more bytes than the buffer holds is discarded with an error" too_many_bytes

# ---- systems stopped by the watchdog

watched=$tmp/watched
mkdir -p "$watched/systems"
echo 'return { title = "Watched", start = function() for i = 1, 50 do world.spawn("box", { box = { value = i } }) end end }' \
  >"$watched/game.lua"
echo 'return { box = { value = 0 }, tally = shoal.types.single { long = 0, wrong = 0, grows = 0 } }' >"$watched/components.lua"
echo 'return { box = { components = { box = {} } } }' >"$watched/assemblages.lua"
# This system writes to the world and then fails in the tick in which b_endless is stopped.
cat >"$watched/systems/a_wrong.lua" <<'END'
return { update = function()
  world.single.tally.wrong = world.single.tally.wrong + 1
  if world.tick == 20 then error("at tick 20") end
end }
END
cat >"$watched/systems/b_endless.lua" <<'END'
return { query = { "box" }, update = function(q)
  local value = q.box.value
  repeat
    for i = 1, q.count do value[i] = value[i] + 1 end
    world.single.tally.long = world.single.tally.long + 1
  until world.tick ~= 20
end }
END
# This system takes longer in each tick, so the tick in which it is stopped depends on the machine.
cat >"$watched/systems/c_grows.lua" <<'END'
return { query = { "box" }, update = function(q)
  local value = q.box.value
  for round = 1, world.tick * 20000 do
    for i = 1, q.count do value[i] = value[i] * 1.0000001 end
  end
  world.single.tally.grows = world.single.tally.grows + 1
end }
END
cat >"$watched/systems/d_memory.lua" <<'END'
return { update = function()
  if world.tick ~= 35 then return end
  local kept = {}
  for i = 1, 1e9 do
    kept[i] = { i, i, i, i }
    if i % 1000 == 0 then world.single.tally.long = world.single.tally.long + 1 end
  end
end }
END
# A single allocation above --memory raises an error that a script can catch; a system above --memory is stopped.
cat >"$watched/systems/e_block.lua" <<'END'
return { update = function()
  if world.tick % 20 ~= 0 or world.tick < 40 then return end
  if not pcall(function() return ("x"):rep(60 * 2 ^ 20) end) then
    world.single.tally.wrong = world.single.tally.wrong + 1000
  end
  if world.tick == 40 then return end
  local kept = {}
  for i = 1, 5 do
    if not pcall(function() kept[i] = ("x"):rep(15 * 2 ^ 20 + i) end) then
      world.single.tally.wrong = world.single.tally.wrong + 1e6
    end
  end
end }
END

stopped_in_replay() { # stopped_in_replay ARGUMENT…: compares the hashes of a recorded run and of its replay
  "$release" run "$watched" --headless --budget 20 --memory 40 --ticks 120 --hash every=10 --record "$tmp/watched.replay" "$@" \
    >out 2>err &
  pid=$!
  suspend_repeatedly "$pid" 40
  wait "$pid"
  [ "$(grep -c '^tick' out)" = 12 ] || fail "the run did not finish: $(tail -n 5 err)"
  grep '^tick' out >first
  for system in b_endless c_grows d_memory e_block; do
    grep -q "error in system $system: .*: stopped" err || fail "$system was not stopped: $(cat err)"
  done
  run_for 120 "$release" run "$watched" --headless --no-watch --budget 1 --hash every=10 --replay "$tmp/watched.replay"
  exits 1 # the replay reports the stops of the recorded run
  says err "match the recording"
  grep '^tick' out | cmp -s - first || fail "the replay differs: $(cat out first)"
}
it "a replay stops the same systems as the recording, even if the recorded process was suspended" stopped_in_replay --no-watch
it "a replay of a run with --watch stops the same systems and undoes their writes" stopped_in_replay --watch

stopped_is_skipped() {
  sed -i 's/until world.tick ~= 20/until false/' "$watched/systems/b_endless.lua"
  run_for 30 "$release" run "$watched" --headless --no-watch --hash every=10 --ticks 10 --record "$tmp/ended.replay" --budget 20
  sed -i 's/until false/until true/' "$watched/systems/b_endless.lua"
  run_for 30 "$release" run "$watched" --headless --no-watch --replay "$tmp/ended.replay"
  exits 1 # the replay reports the stop of the recorded run
  says err "files differ from the recording's" "match the recording"
}
it "a replay does not run a system in the tick in which the recorded run stopped it" stopped_is_skipped

# ---- a process that is suspended from time to time

suspended() { # suspended COUNT GAME ARGUMENT…: suspends the run COUNT times and compares it with an undisturbed run
  count=$1
  shift
  run_for 300 "$release" run "$@" --headless --seed 3 --hash every=50
  grep '^tick' out >first
  [ -s first ] || fail "no hashes: $(cat err)"
  "$release" run "$@" --headless --seed 3 --hash every=50 >out 2>err &
  pid=$!
  suspend_repeatedly "$pid" "$count"
  wait "$pid" || fail "exit status $?: $(tail -n 3 err)"
  grep '^tick' out | cmp -s - first || fail "hashes differ: $(grep '^tick' out | diff - first | head -n 4)"
}
asteroids_suspended() { suspended 100 "$root/scripts/games/asteroids" --ticks 6000 --history 16; }
physics_suspended() { suspended 40 "$root/scripts/examples/physics" --ticks 1500 --watch; }
it "asteroids gives the same hashes when its process is suspended a hundred times" asteroids_suspended
it "a game with --watch and a plugin gives the same hashes when its process is suspended 40 times" physics_suspended
