# Several behaviours on one entity, by name (Entities-Parts): each has a state of its own, their order is declared, and
# rewound, saved, replayed and reloaded they are the same. One script without a name stays what it was.
# needs: release
. "$(dirname "$0")/../lib.sh"
world=several
. "$(dirname "$0")/lib/lived.sh"

parts() {
  cat >"$tmp/game/systems/shows.lua" <<'LUA'
return { phase = "post_update", query = { "behaviour:ear" }, each = function(e)
  if world.tick == 2 and e.transform.x < 11 then
    print("parts", e.script.ear.file, e["behaviour:leg"].steps, e["behaviour:ear"].steps)
    print("alone", world.find("snail").script.enabled, world.find("snail")["behaviour:leg"].steps)
    print("rows", #world.sql("SELECT * FROM script WHERE instance = ?", "leg"), e:describe().script.leg.enabled)
  end
end }
LUA
  run_for 20 "$release" run "$tmp/game" --headless --ticks 4
  exits 0
  says out "$(printf 'parts\tbehaviours/ear.lua\t3\t3')"
  says out "$(printf 'alone\ttrue\t3')"
  says out "$(printf 'rows\t6\ttrue')"
  fresh
}
it "several functional parts on one entity (Entities-Parts)" parts

scheduled() {
  run_for 20 "$release" sql "$tmp/game" "SELECT name FROM systems WHERE name LIKE 'behaviours/%' ORDER BY \"order\""
  exits 0
  [ "$(grep -o 'behaviours/[a-z]*' out | tr '\n' ' ')" = "behaviours/leg behaviours/ear " ] || fail "$(cat out err)"
}
it "the order of an entity's parts is declared, and stands in the schedule (Entities-Parts)" scheduled

it_happens() {
  run_for 20 "$release" sql "$tmp/game" --ticks "$ticks" \
    "SELECT 'lost' AS it FROM lost WHERE steps > 100; SELECT 'off' AS it FROM script WHERE NOT enabled GROUP BY 1;
     SELECT 'poked' AS it FROM \"behaviour:leg\" WHERE pokes > 0 GROUP BY 1"
  exits 0
  for word in lost off poked; do says out "$word"; done
}
it "parts are lost, switched off and spoken to in what follows" it_happens

it "several behaviours: every tick that is lived again comes out the same" again

it "several behaviours: a recording is the same world" replayed

it "several behaviours: a save half way goes on as if nothing had been" saved 37 113

it "several behaviours: a rewind and a reload change nothing" rewound

# ---- from one script to several, and back

one_to_several() {
  rm -rf old
  cp -r "$root/tests/scenarios/games/several" old
  echo 'return { crab = { components = { name = {}, transform = {}, script = { file = "behaviours/leg.lua" } } } }' \
    >old/assemblages.lua
  echo 'return { id = "several", start = function() world.spawn("crab", { name = "old" }) end }' >old/game.lua
  rm old/systems/parts.lua
  run_for 20 "$release" run old --headless --ticks 30 --save "$tmp/one.sqlite"
  exits 0
  cat >"$tmp/game/systems/shows.lua" <<'LUA'
return { phase = "post_update", update = function()
  local e = world.find("old")
  if world.tick == 35 then
    print("one", e.script.file, e.script.enabled, e["behaviour:leg"].steps)
    e.script.enabled = false
  elseif world.tick == 39 then
    print("off", e.script.enabled, e["behaviour:leg"].steps)
  end
end }
LUA
  run_for 20 "$release" run "$tmp/game" --headless --ticks 40 --load "$tmp/one.sqlite"
  fresh
  exits 0
  says out "$(printf 'one\tbehaviours/leg.lua\ttrue\t36')"
  says out "$(printf 'off\tfalse\t36')"
  run_for 20 "$release" sql "$tmp/old" "SELECT * FROM script"
  exits 0
  ! grep -q instance out && says out behaviours/leg.lua || fail "a game that names no script has named ones: $(cat out)"
}
it "a save with one script loads where scripts have names, and its behaviour goes on" one_to_several

# ---- what is wrong

twice() { # twice FILE LINE TEXT: both scripts are one behaviour
  fresh
  sed -i 's|behaviours/ear.lua" }|behaviours/leg.lua" }|' "$tmp/game/assemblages.lua"
  run_for 20 "$release" run "$tmp/game" --headless --ticks 1
  exits 1
  says err "assemblages.lua:7: crab: its scripts ear and leg are both behaviours/leg.lua"
  fresh
}
it "two behaviours of one name on one entity are refused with file and line" twice

twice_later() {
  fresh
  cat >"$tmp/game/systems/spawner.lua" <<'LUA'
return { update = function()
  if world.tick == 1 then
    world.spawn("crab", { script = { tail = { file = "behaviours/leg.lua" } } })
  end
end }
LUA
  cat >"$tmp/game/systems/adder.lua" <<'LUA'
return { query = { "behaviour:ear" }, each = function(e)
  e:add("script", { file = "behaviours/ear.lua" }, "other")
end }
LUA
  run_for 20 "$release" run "$tmp/game" --headless --ticks 3
  exits 1
  says err "systems/spawner.lua:3: world.spawn: its scripts leg and tail are both behaviours/leg.lua"
  says err "systems/adder.lua:2: entity("
  says err "its scripts ear and other are both behaviours/ear.lua"
  fresh
}
it "a behaviour that an entity has already is refused by the spawn and by e:add" twice_later

misordered() {
  fresh
  sed -i 's|after = "behaviours/leg.lua"|after = "behaviours/lag.lua"|' "$tmp/game/behaviours/ear.lua"
  run_for 20 "$release" run "$tmp/game" --headless --ticks 1
  exits 1
  says err "behaviours/ear.lua:2: after: there is no system behaviours/lag.lua (did you mean behaviours/leg.lua?)"
  fresh
}
it "an order that names a behaviour that is not there is refused by name" misordered
