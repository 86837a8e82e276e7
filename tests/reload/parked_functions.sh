# Functions that fail are parked individually, and everything else keeps running.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
budget=30

new_game() { # creates a game with three entities that emits an event in each tick and prints its counters in tick 9
  rm -rf game
  mkdir -p game/systems game/behaviours
  echo 'return { title = "pieces", start = function() for i = 1, 3 do world.spawn("thing", { p = { x = i } }) end end }' >game/game.lua
  echo 'return { p = { x = 0, y = 0 }, total = shoal.types.single { heard = 0, ran = 0 } }' >game/components.lua
  echo 'return { thing = { components = { p = {} } } }' >game/assemblages.lua
  echo 'return { beat = {} }' >game/events.lua
  echo 'return { phase = "input", update = function() world.emit("beat") end }' >game/systems/aa.lua
  echo 'return { phase = "post_update", priority = 9, update = function() if world.tick == 9 then
    print("heard", world.single.total.heard, "ran", world.single.total.ran, "things", world.count("p")) end end }' >game/systems/zz.lua
}
system() { cat >"game/systems/$1.lua"; }
play() { run_for 30 "$release" run game --headless --ticks 10 --budget "$budget" --hash "$@"; }
once() { [ "$(grep -cF -- "$2" "$1")" = 1 ] || fail "'$2' is not there exactly once: $(cat "$1")"; }

failing_handler() {
  new_game
  system both <<'END'
return { on = { beat = function(ev) world.single.total.heard = world.single.total.heard + ev.count if world.tick == 4 then error("deaf") end end },
  update = function() world.single.total.ran = world.single.total.ran + 1 end }
END
  play --watch
  exits 1
  once err "error in system both, on beat: systems/both.lua:1: deaf"
  says out "$(printf 'heard\t4\tran\t10')"
}
it "a failing event handler is parked and its effects are undone, while the system's update function keeps running" failing_handler

failing_update() {
  new_game
  system both <<'END'
return { on = { beat = function(ev) world.single.total.heard = world.single.total.heard + ev.count end },
  update = function() world.single.total.ran = world.single.total.ran + 1 if world.tick == 4 then error("tired") end end }
END
  play --watch
  exits 1
  once err "error in system both: systems/both.lua:2: tired"
  says out "$(printf 'heard\t10\tran\t4')"
}
it "a failing update function is parked, while the system's event handlers keep running" failing_update

names_current_entity() {
  new_game
  system each <<'END'
return { query = { "p" }, each = function(e) if world.tick == 4 and e.p.x == 2 then error("this one") end end }
END
  play
  exits 1 err "current entity: entity(2:0 thing)"
}
it 'an error in an `each` function names the current entity' names_current_entity

start_parks() {
  new_game
  system begins <<'END'
return { start = function() error("not today") end, update = function() world.single.total.ran = 99 end }
END
  play --watch
  exits 1
  once err "error in system begins, start: systems/begins.lua:1: not today"
  says out "$(printf 'ran\t0')"
}
it "a system whose start function fails does not run at all" start_parks

failing_behaviour() {
  new_game
  echo 'return { thing = { components = { p = {}, b = {} } } }' >game/assemblages.lua
  cat >game/behaviours/b.lua <<'END'
return { fields = { n = 0 }, update = function(self) world.single.total.ran = world.single.total.ran + 1 end,
  on = { poke = function(self) error("ouch") end, stroke = function(self) world.single.total.heard = world.single.total.heard + 1 end } }
END
  echo 'return { poke = { entity = shoal.types.entity }, stroke = { entity = shoal.types.entity } }' >game/events.lua
  system pokes <<'END'
return { query = { "p" }, update = function(q) if world.tick == 4 then q.entity[2]:send("poke") end q.entity[1]:send("stroke") end }
END
  play --watch
  exits 1
  once err "error in behaviour b, on poke: behaviours/b.lua:2: ouch"
  says err "current entity: entity(2:0 thing)"
  says out "$(printf 'heard\t9\tran\t30')"
}
it "a failing handler of a behaviour is parked, while its remaining handlers and its update function keep running" failing_behaviour

logged_once() {
  new_game
  system says <<'END'
return { priority = -1, update = function() print("said in", world.tick) log.warn("warned in %d", world.tick) end }
END
  system stops <<'END'
return { update = function() if world.tick == 4 then print("on the way") while true do end end end }
END
  play --watch
  exits 1
  once out "$(printf 'said in\t4')"
  once err "warned in 4"
  once out "on the way"
}
it "if a tick is re-simulated after a failure, its log lines are printed only once" logged_once

unusual_errors() {
  new_game
  i=0
  while read -r code; do
    i=$((i + 1))
    echo "return { update = function() if world.tick == $((i + 1)) then $code end end }" | system "odd$i"
  done <<'END'
error(setmetatable({}, { __tostring = function() error("again") end }))
error(nil)
error(coroutine.create(function() end))
error(setmetatable({}, { __index = function() while true do end end }))
error({ message = setmetatable({}, { __tostring = error }) })
xpcall(error, function() error("in the handler") end) error("after the handler")
local function f() return 1 + f() end xpcall(f, f) f()
error(("long "):rep(100000))
error("\0\255")
END
  run_for 30 "$release" run game --headless --ticks 14 --budget "$budget"
  exits 1
  [ "$(grep -c '^error: error in system odd' err)" = "$i" ] || fail "$(grep -a '^error' err)"
}
it "errors in error handlers and errors that are not strings are reported" unusual_errors

strict() {
  new_game
  system draws <<'END'
return { phase = "render", update = function() if world.tick == 4 then error("no brush") end end }
END
  play --strict
  exits 1 err "systems/draws.lua:1: no brush"
  says out "tick 4 hash"
}
it "with --strict, a failure in the render phase ends the run" strict

endless_load() {
  new_game
  echo 'local n = 0 while true do n = n + 1 end' | system forever
  play
  exits 1 err "stopped after $((budget * 10)) ms"
}
it "a file that loops endlessly while it is loaded is rejected" endless_load

terminates() {
  new_game
  echo 'return { update = function() log.info("begun") while true do end end }' | system forever
  launch "$release" run game --headless --budget 0
  trap stop_program EXIT
  expect_log begun
  expect_prompt_exit
  says log "because the program is exiting"
}
it "SIGTERM terminates a program whose script loops endlessly, even without a budget" terminates
