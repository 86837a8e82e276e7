# The past of a running game is edited: it goes back, a file of it is another one, and the same input is heard again.
# What then differs is said, both timelines can be compared, and a recording of all of it plays again.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# fresh NEXT: a copy of Asteroids that at tick 1200 goes back to 900 and, on the way, becomes one with NEXT in place of
# the system that says so. A file can be put in another's place by a game that may use the FFI.
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

# play FILE [options]: its hashes into $tmp/hashes
play() {
  file=$1
  shift
  run_for 300 "$release" run "$game" --trust --headless --no-watch --replay "$file" --hash every=60 "$@"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

luajit tests/scenarios/lib/keys.lua "$tmp/keys" 1800 5

nothing='return { phase = "post_update", update = function() end }'
unchanged() {
  fresh "$nothing"
  play "$tmp/keys" --record "$tmp/recording"
  exits 0
  says err "reloaded"
  says err "past: live again from tick 1201; nothing differed"
  for tick in 960 1020 1080 1140 1200; do
    [ "$(grep "^tick $tick " "$tmp/hashes" | sort -u | wc -l)" = 1 ] || fail "tick $tick is not as it was"
    [ "$(grep -c "^tick $tick " "$tmp/hashes")" = 2 ] || fail "tick $tick was not lived twice"
  done
}
it "a stretch that is lived again with code that does the same is the same" unchanged

edit='return { phase = "post_update", update = function()
  if world.tick == 1000 then
    for e in world.each("motion") do e.motion.vx = e.motion.vx + 0.25 end
  elseif world.tick == 1150 then
    local same = world.compare(world.past(1000, "old"), world.past(1000)).total
    local list = world.compare(world.past(1001, "old"), world.past(1001))
    print("compared", same, list.total > 3, list[1].component, list[1].field, list[1].b - list[1].a)
  end
end }'
changed() {
  fresh "$edit"
  play "$tmp/keys" --record "$tmp/recording"
  exits 0
  says err "past: tick 1001 is the first that differs"
  grep -q 'past: entity([0-9:]* ".*") motion.vx: ' "$tmp/err" || fail "$(grep past: "$tmp/err")"
  says err "past: live again from tick 1201"
  grep -q "compared	0	true	motion	vx	0.25" "$tmp/out" || fail "$(grep compared "$tmp/out")"
  cp "$tmp/hashes" "$tmp/first"
}
it "code that does something else differs from its tick on, and the fields are said" changed

again() {
  [ -s "$tmp/recording" ] || fail "nothing was recorded"
  fresh "$edit"
  play "$tmp/recording"
  exits 0
  says err "match the recording"
  cmp -s "$tmp/first" "$tmp/hashes" || fail "$(diff "$tmp/first" "$tmp/hashes" | head -n 4)"
}
it "a recording of an edited past plays again" again
