# The reload transaction: changes to files that are saved together take effect together or not at all. tests/reload
# tests the effects that game designers expect of a reload.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
cd "$tmp" || exit 1

# plays NAME TICKS: runs a game that edits itself with the shell script on stdin, whose argument is the tick, and writes
# the hashes to the file NAME.
plays() {
  rm -rf "$game"
  cp -r "$root/tests/scenarios/games/edited" "$game"
  cat >"$game/edit.sh"
  to=$1 ticks=$2
  cd "$game" || exit 1
  run_for 60 "$release" run "$game" --headless --trust --ticks "$ticks" --hash every=1
  cd "$tmp" || exit 1
  grep '^tick ' "$tmp/out" >"$tmp/$to"
  [ "$(wc -l <"$tmp/$to")" = "$ticks" ] || fail "expected $ticks hashes, got: $(tail -n 3 "$tmp/out" "$tmp/err")"
}
same_hashes() { cmp -s "$tmp/$1" "$tmp/$2" || fail "hashes differ: $(diff "$tmp/$1" "$tmp/$2" | head -n 4)"; }
silent_about() { ! grep -qF -- "$2" "$tmp/$1" || fail "unexpected '$2': $(cat "$tmp/$1")"; }

# refused "place" "message": the edit on stdin must be rejected with this message at this location, and the world and
# the code must equal the world and the code of a run without the edit.
refused() {
  cat >"$tmp/edit"
  plays plain 40 </dev/null
  exits 0
  plays broken 40 <"$tmp/edit"
  exits 1 err "reload refused: $1" "$2"
  same_hashes plain broken
}

unchanged() {
  sed 's/world.tick == 10/false/; s/world.tick == 20/false/; s/world.tick == 30/false/' \
    "$root/tests/scenarios/games/edited/systems/edit.lua" >"$tmp/never.lua"
  plays reloaded 40 </dev/null
  says err "reloaded all files in"
  cp "$tmp/never.lua" "$game/systems/edit.lua"
  run_for 60 "$release" run "$game" --headless --trust --ticks 40 --hash every=1
  grep '^tick ' "$tmp/out" >"$tmp/plain"
  same_hashes plain reloaded
}
it "a reload without changes leaves the world unchanged" unchanged

mixed_changes() {
  plays mixed 40 <<'END'
[ "$1" = 10 ] || exit 0
cat >components.lua <<'LUA'
local t = shoal.types
return {
  tomb = { breadth = t.i16(3), depth = t.u8(6), year = 1900, renamed_from = { "grave", breadth = "width" } },
  motion = { speed = 1.5, spin = 0.25, weight = 2, renamed_from = { speed = "vx" } },
  tally = t.single { steps = t.i32(0), stops = t.i32(0) },
  marker = {},
}
LUA
sed -i 's/motion = {}/motion = { weight = 7 }, marker = {}/' assemblages.lua
sed -i 's/vx/speed/g' systems/move.lua
sed -i 's/"grave"/"tomb"/; s/e.grave.width/e.tomb.breadth, e.tomb.year/; s/e.grave/e.tomb/' systems/mourn.lua
rm systems/legacy.lua
mkdir lib
echo 'return { words = "from a module" }' >lib/words.lua
cat >systems/counts.lua <<'LUA'
local words = require "lib.words"
return { priority = 2000, query = { "motion", "marker" }, update = function(q)
  if world.tick == 11 then
    print(("counts: %d with weight %g, steps %d, stops %d, %s"):format(q.count, q.motion.weight[1], world.single.tally.steps,
      world.single.tally.stops, words.words))
  end
end }
LUA
END
  exits 0 out "legacy: stop in tick 11" "counts: 21 with weight 7, steps 12, stops 1, from a module"
  says out "mourn:	old grave	7	4	1900"
  [ "$(grep -c "mourn: enter	new grave" out)" = 1 ] || fail "the rename ran enter: $(grep mourn out)"
  says err "reloaded 7 files in"
  says err "2 systems changed, 1 system added, 1 system removed, 1 field added, 3 fields renamed, 2 fields converted, 21 entities updated"
  says err "assemblages.lua, components.lua, lib/words.lua, systems/counts.lua, systems/legacy.lua, systems/mourn.lua, systems/move.lua"
}
it "changes to modules, components, assemblages and systems that are saved together take effect together" mixed_changes

refuses() { # refuses "test name" "place" "message": runs `refused` as a test; stdin is the edit at tick 10
  name=$1 place=$2 message=$3
  { echo '[ "$1" = 10 ] || exit 0' && cat; } >"$tmp/at_10"
  it "$name" refused "$place" "$message" <"$tmp/at_10"
}

refuses "a syntax error rejects the whole change" "systems/move.lua:2:" "unexpected" <<'END'
echo 'return { update = function() world.single.tally.steps = 0 end }' >systems/legacy.lua
printf 'return {\n  query = = }' >systems/move.lua
END
refuses "renaming a component that a query still names rejects the whole change" "systems/move.lua:2:" "unknown component motion" <<'END'
sed -i 's/motion/drive/' components.lua assemblages.lua
END
refuses "a cyclic order of systems rejects the whole change" "systems/a.lua:2:" "cyclic order in phase update: a → b → a" <<'END'
printf 'return { update = function() end,\n  after = "b" }\n' >systems/a.lua
printf 'return { update = function() end,\n  after = "a" }\n' >systems/b.lua
END
refuses "a system that fails on its trial tick rejects the whole change" "systems/move.lua:3:" "the query has no component none" <<'END'
printf 'return { query = { "motion" }, update = function(q)\n\n  q.none.x[1] = 2\nend }' >systems/move.lua
sed -i 's/spin = 0.25/spin = 9/' components.lua
END
refuses "an error in the render phase rejects the whole change" "systems/paint.lua:1:" "on purpose" <<'END'
echo 'return { phase = "render", update = function() error("on purpose") end }' >systems/paint.lua
END
refuses "deleting a folder that other files need rejects the whole change" "assemblages.lua:1:" "unknown component motion" <<'END'
rm -r systems components.lua
END
refuses "a system that crashes on its trial tick rejects the whole change" "systems/crash.lua" "system crash crashed on its trial tick (SIGSEGV)" <<'END'
echo 'local ffi = require "ffi"
return { update = function() ffi.cast("int *", 16)[0] = 1 end }' >systems/crash.lua
END
refuses "a trial tick that does not finish in time rejects the whole change" "systems/sleeps.lua" "did not finish its trial tick within 5000 ms" <<'END'
echo 'local ffi = require "ffi"
ffi.cdef "int pthread_mutex_lock(void *mutex);"
return { update = function()
  local mutex = ffi.new("uint64_t[16]")
  ffi.C.pthread_mutex_lock(mutex)
  ffi.C.pthread_mutex_lock(mutex)
end }' >systems/sleeps.lua
sed -i "s/ or world.tick == 20 or world.tick == 30//" systems/edit.lua
END
refuses "a system that exits the program on its trial tick rejects the whole change" "systems/ends.lua" "exited the program on its trial tick" <<'END'
echo 'local ffi = require "ffi"
ffi.cdef "void _exit(int);"
return { update = function() ffi.C._exit(3) end }' >systems/ends.lua
END

no_stop_functions() {
  { echo '[ "$1" = 10 ] || exit 0'; echo 'rm systems/legacy.lua; echo "return 1" >systems/wrong.lua'; } >"$tmp/edit"
  plays broken 40 <"$tmp/edit"
  says err "reload refused: systems/wrong.lua:1:"
  silent_about out "legacy: stop in tick 11"
}
it "stop functions are not called if a change is rejected" no_stop_functions

parked_before() {
  plays parked 40 <<'END'
case $1 in
10) echo 'return { update = function() if world.tick > 15 then error("on purpose") end end }' >systems/late.lua ;;
20) echo 'return { update = function() if world.tick == 21 then print("new code runs") end end }' >systems/more.lua ;;
30) echo 'return { update = function() end }' >systems/late.lua ;;
esac
END
  says err "error in system late: systems/late.lua:1: on purpose"
  says out "new code runs"
  says err "1 system added, 1 parked function still fails"
  says err "1 system changed, 1 parked function resumed"
  silent_about err "refused"
}
it "a parked system does not block changes of other files" parked_before

would_fail() {
  plays parked 40 <<'END'
case $1 in
10) echo 'return { update = function() if world.tick == 21 then error("on purpose") end end }' >systems/late.lua ;;
20) echo 'return { update = function() print("new code runs") end }' >systems/more.lua ;;
esac
END
  says out "new code runs"
  silent_about err "refused"
}
it "an error that would also occur in the old code does not reject a change" would_fail

reload_event() {
  plays event 40 <<'END'
case $1 in
10) cat >systems/hears.lua <<'LUA'
return { on = { ["shoal.reload"] = function(ev)
  for i = 1, ev.count do
    print(("heard in tick %d: %d systems, %d fields, %d entities: %s"):format(world.tick, ev.systems[i], ev.fields[i], ev.entities[i],
      ev.files[i]))
  end
end } }
LUA
;;
20) sed -i 's/spin = 0.25/spin = 0.25, mass = 1/' components.lua ;;
esac
END
  exits 0 out "heard in tick 11: 1 systems, 0 fields, 0 entities: systems/hears.lua"
  says out "heard in tick 21: 0 systems, 1 fields, 0 entities: components.lua"
  says out "heard in tick 31: 0 systems, 0 fields, 0 entities: "
}
it "a handler of shoal.reload is called after each reload with a summary of the changes" reload_event

game_lua() {
  plays facts 40 <<'END'
case $1 in
10) sed -i 's/title = "Edited"/title = "Other", tick_rate = 30, width = 320/' game.lua
    echo 'return { update = function(dt) if world.tick == 12 then print("dt " .. dt * 30) end end }' >systems/says.lua ;;
esac
END
  exits 0 out "dt 1"
}
it "a reload applies a changed tick rate in game.lua" game_lua

edited_layers() {
  plays layers 40 <<'END'
case $1 in
10) sed -i 's/title = "Edited"/title = "Edited", layers = { "hero", "foe", "shot" }/' game.lua
    cat >systems/layers.lua <<'LUA'
return { update = function()
  if world.tick == 12 then
    world.spawn(nil, { name = "b", transform = {}, body = { category = "foe", mask = { "hero", "shot" } } })
  elseif world.tick == 15 or world.tick == 25 then
    local body = world.find("b").body
    print("layers in tick " .. world.tick, body.category, body.mask)
  end
end }
LUA
;;
20) sed -i 's/"hero", "foe", "shot"/"shot", "hero", "wall", "foe"/' game.lua ;;
esac
END
  exits 0 out "$(printf 'layers in tick 15\t2\t5')" "$(printf 'layers in tick 25\t8\t3')"
}
it "after a reload that changed the list of layers, bodies keep their layers by name" edited_layers

running_scene() {
  plays first 40 <<'END'
case $1 in
10) echo 'return { entities = { { assemblage = "thing" } }, start = function() print("scene in tick " .. world.tick) end }' | { mkdir -p scenes; cat >scenes/level.lua; }
    echo 'return { update = function() if world.tick == 12 or world.tick == 22 then world.scene("level") end
      if world.tick == 39 then print("things: " .. world.count("thing")) end end }' >systems/levels.lua ;;
20) sed -i 's/"thing" }/"thing" }, { assemblage = "thing" }/' scenes/level.lua ;;
esac
END
  exits 0 out "scene in tick 13" "scene in tick 23"
  [ "$(grep -c "scene in tick" "$tmp/out")" = 2 ] || fail "the scene started again in a reload: $(cat "$tmp/out")"
  says out "things: 2"
  said='ms; scenes/level.lua takes effect when world.scene("level") starts the scene again'
  grep -qF "$said" "$tmp/err" && [ "$(grep -c 'scenes/level.lua' "$tmp/err")" = 2 ] || # one reports the new file
    fail "expected one line with '$said': $(cat "$tmp/err")"
}
it "a reload does not restart a running scene, but world.scene starts the scene from the changed file" running_scene

# A copy of Asteroids that reloads itself in every tick.
ticks=20
[ -z "$LONG" ] || ticks=300
every_tick() {
  rm -rf often never
  cp -r "$root/scripts/games/asteroids" often
  cp -r often never
  echo 'return { priority = 10000, update = function() reload() end }' >often/systems/zz.lua
  echo 'return { priority = 10000, update = function() end }' >never/systems/zz.lua
  run_for 300 "$release" run never --headless --ticks "$ticks" --hash every=1 --workers "$1"
  grep '^tick ' "$tmp/out" >never.txt
  run_for 300 "$release" run often --headless --ticks "$ticks" --hash every=1 --workers "$1"
  exits 0
  [ "$(grep -c "^reloaded all files" err)" = $((ticks - 1)) ] || fail "$(grep -c "^reloaded" err) reloads"
  grep '^tick ' "$tmp/out" >often.txt
  [ "$(wc -l <often.txt)" = "$ticks" ] || fail "$(wc -l <often.txt) ticks"
  same_hashes never.txt often.txt
}
it "reloading Asteroids in each of $ticks ticks leaves the hashes unchanged with one worker" every_tick 1
it "reloading Asteroids in each of $ticks ticks leaves the hashes unchanged with two workers" every_tick 2
