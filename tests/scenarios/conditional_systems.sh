# States with functions and kept values, conditional and disabled systems, on-demand systems and disabled components are
# part of the world: rollback, rewind, save, replay and reload give the same hashes.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=conditional_systems
. "$(dirname "$0")/lib/reproducible.sh"

is_exercised() { # checks that the game uses these features, so that the tests below compare something
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    'SELECT heard > 0 AS hears, alarms > 50 AS alarms FROM scene; SELECT count(*) > 0 AS kept FROM "kept:gun";
     SELECT count(*) > 2 AS off FROM disabled;
     SELECT max(made) = 1 AND min(made) = 1 AND sum(slept) > 9 AND sum(woken) >= sum(slept) AS naps FROM napper'
  exits 0
  [ "$(grep -c '^ *1 *1$' out)" = 1 ] && [ "$(grep -c '^ *1$' out)" = 3 ] || fail "$(cat out)"
}
it "the test game uses states, conditions and disabled components" is_exercised

it "conditional systems give the same hashes when ticks are re-simulated" again

workers() {
  plays two --workers 2
  same straight two
}
it "conditional systems give the same hashes with two workers" workers

it "conditional systems give the same hashes in a replay" replayed

it "conditional systems give the same hashes when continued from a save" saved 37 101 150

it "conditional systems give the same hashes after a rewind and a reload of unchanged files" rewound

# Kept values are migrated to a changed component layout, and the new functions are called.
migrates_kept_values() {
  cat >"$tmp/game/systems/edits.lua" <<'END'
return {
  phase = "post_update",
  update = function()
    local e = world.query({ "transform" }).entity[1]
    if world.tick == 3 then
      e:enter "awake"
    elseif world.tick == 4 then
      world.system("watches", false)
      e.gun.left.heat, e.mood.fear = 5.5, 9
    elseif world.tick == 5 then
      e:enter "asleep"
    elseif world.tick == 20 then
      e:enter "awake"
    elseif world.tick == 21 then
      print(("heat %g, weight %g, fear %g, left %g, watches %s"):format(e.gun.left.heat, e.gun.left.weight, e.mood.fear,
        e.watch.left, tostring(world.system "watches")))
    end
  end,
}
END
  cp "$tmp/game/components.lua" "$tmp/old_components.lua"
  sed -i 's/shots = t.i32(0)/shots = t.i32(0), weight = 2, migrate = function(old, new, q)\
    for i = 1, q.count do new.weight[i] = old.heat[i] * 10 end\
  end/' "$tmp/game/components.lua"
  sed 's/return { left = 0.1.*end/return { left = 70 } end/' "$tmp/game/assemblages.lua" >"$tmp/new_assemblages.lua"
  cp "$tmp/game/components.lua" "$tmp/new_components.lua"
  cp "$tmp/old_components.lua" "$tmp/game/components.lua"
  cat >"$tmp/game/systems/saves.lua" <<END
local os = require "ffi"
os.cdef "int system(const char *);"
return { update = function()
  if world.tick == 10 then
    os.C.system("cp $tmp/new_assemblages.lua $tmp/game/assemblages.lua")
    os.C.system("cp $tmp/new_components.lua $tmp/game/components.lua")
    reload()
  end
end }
END
  sed -i 's/^return {/return { native = true,/' "$tmp/game/game.lua"
  run_for 60 "$release" run "$tmp/game" --headless --trust --ticks 24
  exits 0 err "reloaded"
  says out "heat 5.5, weight 55, fear 9, left 70, watches false"
  fresh
}
it "a reload migrates the values of kept components to a new layout and calls the new functions of states" migrates_kept_values
