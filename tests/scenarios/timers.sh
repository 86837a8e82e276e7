# Timers and tweens are part of the world: re-simulation, rewinding, saving, replaying and reloading give the same
# hashes. A reload may change or remove the event that a timer will emit.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=timers
. "$(dirname "$0")/lib/reproducible.sh"

game_is_busy() { # checks that the game uses timers and tweens, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    'SELECT rings > 20 AS rings, ends > 40 AS ends, sum > 500 AS sum FROM heard;
     SELECT count(*) > 5 AS timers FROM timer; SELECT count(*) > 20 AS tweens FROM tween'
  exits 0
  [ "$(grep -c '^ *1 *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1$' out)" = 2 ] || fail "$(cat out)"
}
it "the test game runs timers and tweens and receives their events" game_is_busy

it "timers and tweens give the same hashes when ticks are re-simulated" again

it "timers and tweens give the same hashes in a replay" replayed

it "timers and tweens give the same hashes when continued from a save" saved 37 150

it "timers and tweens give the same hashes after a rewind and a reload of unchanged files" rewound

# The game removes the event's field `power` at tick 20, and the event itself at tick 40.
changed_events() {
  mkdir -p "$tmp/bell/systems"
  echo 'return { title = "bell" }' >"$tmp/bell/game.lua"
  echo 'return { bell = { power = 1, loud = false } }' >"$tmp/bell/events.lua"
  cat >"$tmp/bell/systems/bell.lua" <<END
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return {
  start = function()
    world.after(0.5, "bell", { power = 4, loud = true })
    world.after(1, "bell", { loud = true })
  end,
  update = function()
    if world.tick == 20 then
      ffi.C.system("echo 'return { bell = { loud = false } }' >$tmp/bell/events.lua")
      reload()
    elseif world.tick == 40 then
      ffi.C.system("echo 'return { gong = {} }' >$tmp/bell/events.lua; rm $tmp/bell/systems/hears.lua")
      reload()
    end
  end,
}
END
  cat >"$tmp/bell/systems/hears.lua" <<'END'
return { on = { bell = function(ev) print("bell at", world.tick, ev.loud[1]) end } }
END
  sed -i 's/title = "bell"/title = "bell", native = true/' "$tmp/bell/game.lua"
  run_for 60 "$release" run "$tmp/bell" --headless --trust --ticks 70
  exits 0 out "bell at	30	true"
  says err "the event bell no longer has a field power of the same type"
  says err "the event bell no longer exists"
}
it "if an event changes before its timer is due, removed fields are reported and the remaining fields are delivered" changed_events
