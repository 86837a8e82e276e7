# A parked function is tried again: after 60, 120, … ticks, and at each scene change. Replays and rewinds agree.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

new_game() { # creates a game with three entities that emits an event in each tick
  rm -rf game
  mkdir -p game/systems game/scenes game/behaviours
  echo 'return { title = "retries", start = function() for i = 1, 3 do world.spawn("thing", { p = { x = i } }) end end }' >game/game.lua
  echo 'return { p = { x = 0, y = 0 }, total = shoal.types.single { heard = 0, ran = 0 } }' >game/components.lua
  echo 'return { thing = { components = { p = {} } } }' >game/assemblages.lua
  echo 'return { beat = {} }' >game/events.lua
  echo 'return { phase = "input", update = function() world.emit("beat") end }' >game/systems/aa.lua
}
system() { cat >"game/systems/$1.lua"; }
play() { run_for 60 "$release" run game --headless --hash "$@"; }
tries() { [ "$(echo $(grep '^try' out | cut -f2))" = "$1" ] || fail "tried in $(echo $(grep '^try' out | cut -f2)), expected $1"; }
once() { [ "$(grep -cF -- "$2" "$1")" = 1 ] || fail "'$2' is not there exactly once: $(cat "$1")"; }

doubles() {
  new_game
  system weak <<'END'
return { query = { "p" }, update = function(q) if world.tick < 450 then print("try", world.tick) q.p.x[1] = -1 error("weak") end
  world.single.total.ran = world.single.total.ran + 1 end }
END
  system zz <<'END'
return { phase = "post_update", update = function() if world.tick == 900 then print("ran", world.single.total.ran) end end }
END
  for how in "" --watch; do
    play --ticks 1000 $how
    exits 1
    tries "0 60 180 420"
    once err "error in system weak: systems/weak.lua:1: weak"
    once err "weak/body runs again after 4 failures"
  done
}
it "a system that keeps failing is tried again after 60, 120 and 240 ticks, and its error is reported once" doubles

limited() {
  new_game
  system weak <<'END'
return { update = function() print("try", world.tick) error("weak") end }
END
  play --ticks 12000
  tries "0 60 180 420 900 1860 3780 7380 10980"
}
it "a parked system waits at most 3600 ticks before it is tried again" limited

resets() {
  new_game
  system weak <<'END'
return { update = function() if world.tick == 10 or world.tick == 70 or world.tick == 300 or world.tick == 1300
  then print("try", world.tick) error("weak") elseif world.tick == 71 or world.tick == 540 or world.tick == 1360 then print("ran", world.tick) end
  if world.tick == 190 or world.tick == 539 then print("back", world.tick) end end }
END
  play --ticks 1500
  tries "10 70 300 1300"
  says out "$(printf 'back\t190')" # two failures: 120 ticks
  grep -q '^back.539' out && fail "tried before 240 ticks"
  says out "$(printf 'ran\t540')"
  says out "$(printf 'ran\t1360')" # 600 ticks without failure reset the wait
}
it "after 600 ticks without failure, a system that fails again waits only 60 ticks" resets

stopped() {
  new_game
  system slow <<'END'
return { update = function() if world.tick < 700 then print("try", world.tick) while true do end end end }
END
  play --ticks 2000 --budget 30
  tries "0 600"
  once err "slow/body runs again after 2 failures"
}
it "a system that the watchdog stopped is tried again after 600 ticks" stopped

handlers() {
  new_game
  system hears <<'END'
return { query = { "p" }, on = { beat = function(ev) if world.tick == 4 then error("deaf") end world.single.total.heard = world.single.total.heard + ev.count end },
  enter = function(e) if world.tick >= 10 and world.tick < 50 then error("late") end print("entered", world.tick) end }
END
  system spawns <<'END'
return { update = function() if world.tick == 20 then world.spawn("thing") end
  if world.tick == 99 then print("heard", world.single.total.heard) end end }
END
  play --ticks 100 --watch
  exits 1
  says out "$(printf 'heard\t40')" # 4 ticks, and 36 ticks from tick 64 on, with the events emitted from then on
  says out "$(printf 'entered\t81')"
}
it "a parked event handler misses events, but a parked enter function is called later for its entities" handlers

scenes() {
  new_game
  echo 'return { start = function() end }' >game/scenes/one.lua
  echo 'return { start = function() if world.tick < 150 then print("scene", world.tick) error("no scene") end end }' >game/scenes/two.lua
  system weak <<'END'
return { update = function() if world.tick < 31 then print("try", world.tick) error("weak") end world.single.total.ran = world.single.total.ran + 1 end }
END
  system goes <<'END'
return { update = function() if world.tick == 30 then world.scene("one") elseif world.tick == 40 then world.scene("two") end
  if world.tick == 59 then print("ran", world.single.total.ran) end end }
END
  for how in "" --watch; do
    play --ticks 400 $how
    exits 1
    tries 0
    says out "$(printf 'ran\t27')" # the scene changes in tick 31; the system is tried in tick 32
    [ "$(echo $(grep '^scene' out | cut -f2))" = "41 101" ] || fail "$(cat out)"
    says err "scene two runs again"
  done
}
it "a parked system is tried again after a scene change, and a scene whose start function fails is tried again" scenes

behaviours() {
  new_game
  echo 'return { thing = { components = { p = {}, b = {} } } }' >game/assemblages.lua
  cat >game/behaviours/b.lua <<'END'
return { fields = { n = 0 }, update = function(self) if world.tick < 50 then error("early") end self.n = self.n + 1
  if world.tick == 99 then print("n", self.n) end end }
END
  play --ticks 100
  exits 1 out "$(printf 'n\t40')"
}
it "a behaviour that fails is tried again after 60 ticks" behaviours

uncalled() {
  new_game
  echo 'return { hit = { entity = shoal.types.entity } }' >game/events.lua
  echo 'return { title = "retries", start = function() world.spawn("thing", { name = "one" }) world.spawn(nil, { name = "two" }) end }' >game/game.lua
  echo 'return { thing = { components = { p = {}, b = {} } } }' >game/assemblages.lua
  echo 'return { on = { hit = function() print("try", world.tick) if world.tick < 400 then error("weak") end end } }' >game/behaviours/b.lua
  cat >game/systems/aa.lua <<'END'
return { phase = "input", update = function() local t, name = world.tick, world.tick == 100 and "two" or "one"
  if t == 5 or t == 100 or t == 300 or t == 500 then world.emit("hit", { entity = world.find(name) }) end end }
END
  play --ticks 501
  tries "5 300 500"
  once err "runs again"
  once err "b/on hit runs again after 2 failures"
}
it "a behaviour's handler counts as working again only after it was called for an entity" uncalled

uncalled_enable() {
  new_game
  echo 'return { title = "retries", start = function() world.spawn("thing", { name = "one" }) world.spawn("thing", { name = "two" }) end }' >game/game.lua
  echo 'return { thing = { components = { p = {}, b = {} } } }' >game/assemblages.lua
  echo 'return { disable = function() print("try", world.tick) if world.tick < 400 then error("weak") end end }' >game/behaviours/b.lua
  cat >game/systems/aa.lua <<'END'
return { phase = "input", update = function() local t = world.tick -- in tick 185, the disabled entity has died
  if t == 5 then world.find("one"):disable("b") elseif t == 90 then world.find("one"):destroy()
  elseif t == 300 then world.find("two"):disable("b") end end }
END
  play --ticks 601
  tries "5 65 300 540"
  once err "runs again"
  once err "b:enabled/enable and disable runs again after 3 failures"
}
it "a behaviour's enable and disable functions count as working again only after one of them was called" uncalled_enable

begins_without() {
  new_game
  system weak <<'END'
return { update = function() print("try", world.tick) if world.tick > 0 then world.quit() return end error("weak") end }
END
  system saves <<'END'
return { update = function() if world.tick == 5 then world.save("a") elseif world.tick == 20 then world.load("a") end end }
END
  play --ticks 50
  tries "0 6"
}
it "a parked system is tried in the first tick after a save is loaded" begins_without

replays() {
  new_game
  system weak <<'END'
return { query = { "p" }, update = function(q) for i = 1, q.count do q.p.x[i] = q.p.x[i] + 1 end
  if world.tick % 50 < 20 then error("weak " .. world.tick) end end }
END
  system slow <<'END'
return { on = { beat = function() world.single.total.heard = world.single.total.heard + 1 if world.tick % 700 == 10 then while true do end end end } }
END
  for how in "" --watch; do
    play --ticks 1500 --budget 30 --record recording $how
    exits 1
    mv out live
    play --replay recording
    cmp -s live out || fail "the replay differs: $(diff live out | head -5)"
    play --ticks 900 --check-rollback 20 --budget 30 $how
    grep "differs after system" err && fail "$(cat err)"
    play --replay recording --watch
    cmp -s live out || fail "the replay with --watch differs: $(diff live out | head -5)"
  done
}
it "a replay parks and tries functions in the same ticks as the recording" replays
