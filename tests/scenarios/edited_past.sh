# Edits of the past of a running game: the game is rewound, one of its files is changed, and the recorded input is fed
# again. Differences are reported, both timelines can be compared, and a recording of such a run can be replayed.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# fresh NEXT: copies Asteroids and adds a system that rewinds from tick 1200 to 901 and replaces its own file with NEXT,
# using the FFI.
fresh() {
  game=$tmp/asteroids
  rm -rf "$game"
  cp -r scripts/games/asteroids "$game"
  sed -i 's/^return {/return { native = true,/' "$game/game.lua"
  cat >"$game/systems/zz_travel.lua" <<END
local ffi = require "ffi"
ffi.cdef "int rename(const char *from, const char *to);"
return {
  phase = "post_update",
  update = function()
    if world.tick == 1200 then
      assert(ffi.C.rename("$game/next", "$game/systems/zz_travel.lua") == 0)
      world.restore(901, { replay = true })
      reload()
    end
  end,
}
END
  printf '%s\n' "$1" >"$game/next"
}

# play FILE [options]: replays FILE and writes the hashes to $tmp/hashes.
play() {
  file=$1
  shift
  run_for 300 "$release" run "$game" --trust --headless --no-watch --replay "$file" --hash every=60 "$@"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

luajit tests/scenarios/lib/random_input.lua "$tmp/keys" 1800 5

nothing='return { phase = "post_update", update = function() end }'
unchanged() {
  fresh "$nothing"
  play "$tmp/keys" --record "$tmp/recording"
  exits 0 err "reloaded" "history: the replay ended at tick 1201: no differences"
  for tick in 960 1020 1080 1140 1200; do
    [ "$(grep "^tick $tick " "$tmp/hashes" | sort -u | wc -l)" = 1 ] || fail "tick $tick differs"
    [ "$(grep -c "^tick $tick " "$tmp/hashes")" = 2 ] || fail "tick $tick did not run twice"
  done
}
it "past ticks that are re-simulated with equivalent code give the same hashes" unchanged

edit='return { phase = "post_update", update = function()
  if world.tick == 1000 then
    for e in world.each("motion") do e.motion.vx = e.motion.vx + 0.25 end
  elseif world.tick == 1150 then
    local same = world.compare(world.past(1000, "old"), world.past(1000)).total
    local list = world.compare(world.past(1001, "old"), world.past(1001))
    print("compared", same, list.total > 3, list[1].component, list[1].field, list[1].b - list[1].a)
  end
end }'
different() {
  fresh "$edit"
  play "$tmp/keys" --record "$tmp/recording"
  exits 0 err "history: tick 1001 is the first that differs"
  grep -q 'history: entity([0-9:]* ".*") motion.vx: ' "$tmp/err" || fail "$(grep history: "$tmp/err")"
  says err "history: the replay ended at tick 1201"
  grep -q "compared	0	true	motion	vx	0.25" "$tmp/out" || fail "$(grep compared "$tmp/out")"
  cp "$tmp/hashes" "$tmp/first"
}
it "if changed code re-simulates past ticks, the first tick and the fields that differ are reported" different

replays_edited_past() {
  requires different
  fresh "$edit"
  play "$tmp/recording"
  exits 0 err "match the recording"
  cmp -s "$tmp/first" "$tmp/hashes" || fail "$(diff "$tmp/first" "$tmp/hashes" | head -n 4)"
}
it "a recording in which the past was edited replays to the same hashes" replays_edited_past

# In a pause after tick 60, an options screen changes a volume, and the code is then reloaded. The pause ends, and the
# history is rewound and replayed.
reload_in_pause() { # reload_in_pause TICK: rewinds to this tick
  fresh "$nothing"
  cat >"$game/systems/zz_travel.lua" <<END
local ffi = require "ffi"
ffi.cdef "int unlink(const char *path);"
local function is_first(name) return ffi.C.unlink("$tmp/" .. name) == 0 end
return {
  phase = "input",
  on = {
    changed = function()
      if is_first "reload" then
        print("reloads in a pause", world.is_paused())
        reload()
      end
    end,
  },
  update = function()
    if world.tick == 70 and is_first "rewind" then world.restore($1, { replay = true }) end
  end,
}
END
  touch "$tmp/reload" "$tmp/rewind"
  luajit tests/scenarios/lib/random_input.lua "$tmp/keys_of_pause" 200 1 Rockfall \
    "20:40 60:19 61-130:0 65:81 70:40 75:81 80:80 90:41 130-130:19"
  run_for 60 "$release" run "$game" --trust --headless --no-watch --history 16 --replay "$tmp/keys_of_pause" --ticks 80
  exits 0 out "reloads in a pause	true"
  says err "reloaded" "history: the replay ended at tick 71: no differences"
}
it "a replay of the history repeats the menu input of a pause in which the code was reloaded" reload_in_pause 55
it "a replay of the history that begins in a pause with a reload repeats only input after the reload" reload_in_pause 60
