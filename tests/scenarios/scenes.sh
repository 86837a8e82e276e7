# Scene files: exported at the end of a run or by a script, imported in a different run, loaded as a level, and rejected
# with file and line if they are invalid.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data level
mkdir -p level/scenes
echo 'return { title = "level", scene = "first" }' >level/game.lua
echo 'return { hull = { hp = 1 }, motion = { vx = 0 } }' >level/components.lua
echo 'return { ship = { components = { transform = {}, hull = { hp = 10 } } } }' >level/assemblages.lua
cat >level/scenes/first.json <<'END'
{
  "format": 1,
  "entities": [
    {
      "assemblage": "ship",
      "name": "player",
      "components": {
        "hull": { "hp": 12 }
      }
    },
    {
      "assemblage": "ship",
      "parent": "player",
      "components": {
        "motion": { "vx": 2.5 }
      }
    }
  ]
}
END

json_scene() {
  run_for 20 "$release" run level --headless --ticks 2 --export out.json
  exits 0
  cmp -s out.json level/scenes/first.json || fail "$(diff out.json level/scenes/first.json)"
}
it "a JSON scene loads, and --export writes it unchanged" json_scene

# The same scene in Lua, and a second scene that uses all syntax of scene files.
same_structure() {
  rm -rf grammar
  cp -r level grammar
  rm grammar/scenes/first.json
  cat >grammar/scenes/first.lua <<'END'
return { entities = {
  { assemblage = "ship", name = "player", components = { hull = { hp = 12 } } },
  { assemblage = "ship", parent = "player", components = { motion = { vx = 2.5 } } },
} }
END
  run_for 20 "$release" run grammar --headless --ticks 2 --export grammar.json
  exits 0
  cmp -s grammar.json level/scenes/first.json || fail "$(diff grammar.json level/scenes/first.json)"
  cat >grammar/components.lua <<'END'
local t = shoal.types
return { hull = { hp = 1 }, motion = { vx = 0 }, gun = t.many { heat = 0 }, aim = { at = t.entity, way = t.vec3(1, 2, 3, { nan = true }) },
  paint = { tint = t.vec4(1, 1, 1, 1) }, wreck = {} }
END
  cat >grammar/assemblages.lua <<'END'
return {
  flag = { components = { transform = {}, paint = {} } },
  ship = {
    components = { transform = {}, hull = { hp = 10 }, gun = { left = {}, right = {} } },
    children = { bow = { is = "flag" }, stern = { is = "flag" } },
    states = { initial = "afloat", afloat = {}, sunk = { wreck = {} } },
  },
}
END
  cat >grammar/scenes/first.lua <<'END'
local entities = {
  { assemblage = "ship", id = "a", name = "one", state = "sunk",
    components = { gun = { left = { heat = 2 }, right = false }, hull = false,
      aim = { at = "b", way = { y = 0 / 0 } }, paint = { tint = "#ff0000" } },
    children = { stern = false, bow = { name = "top", components = { paint = { tint = { a = 0.5 } } } } } },
}
for i = 1, 2 do
  entities[#entities + 1] = { id = i == 2 and "b" or nil, parent = i == 1 and "top" or nil,
    components = { transform = { x = i, y = 1 / 0 }, aim = { at = shoal.none, way = shoal.vec3(i, i, i) } } }
end
return { format = 1, entities = entities, start = function() print("starts", world.count("ship")) end }
END
  cat >grammar/scenes/same.json <<'END'
{ "format": 1, "entities": [
  { "assemblage": "ship", "id": "a", "name": "one", "state": "sunk",
    "components": { "gun": { "left": { "heat": 2 }, "right": null }, "hull": null,
      "aim": { "at": "b", "way": { "y": "nan" } }, "paint": { "tint": "#ff0000" } },
    "children": { "stern": null, "bow": { "name": "top", "components": { "paint": { "tint": { "a": 0.5 } } } } } },
  { "parent": "top",
    "components": { "transform": { "x": 1, "y": "inf" }, "aim": { "at": null, "way": [1, 1, 1] } } },
  { "id": "b", "components": { "transform": { "x": 2, "y": "inf" }, "aim": { "at": false, "way": [2, 2, 2] } } } ] }
END
  run_for 20 "$release" run grammar --headless --ticks 2 --export lua.json
  exits 0 out "starts	1"
  sed -i 's/"first"/"same"/' grammar/game.lua
  run_for 20 "$release" run grammar --headless --ticks 2 --export json.json
  exits 0
  cmp -s lua.json json.json || fail "$(diff lua.json json.json)"
  for text in '"way": \[1, "nan", 3\]' '"tint": \[1, 0, 0, 1\]' '"tint": \[1, 1, 1, 0.5\]' '"stern": null' '"hull": null' '"state": "sunk"'; do
    grep -q "$text" lua.json || fail "$text is not in $(cat lua.json)"
  done
}
it "scenes in Lua and JSON have the same structure, with false in place of null" same_structure

small_diff() {
  requires json_scene
  run_for 20 "$release" run level --headless --ticks 3 --exec 'world.find("player").hull.hp = 3' --export changed.json
  run_for 20 "$release" run level --headless --ticks 2 --load none.sqlite
  exits 2
  run_for 20 "$release" run level --headless --ticks 2 --save two.sqlite
  run_for 20 "$release" run level --headless --load two.sqlite --exec 'world.find("player").hull.hp = 3' --export changed.json --ticks 2
  exits 0
  [ "$(diff out.json changed.json | grep -c '^[<>]')" = 2 ] || fail "$(diff out.json changed.json)"
}
it "one change in the world changes one line of the export" small_diff

script_exports() {
  requires json_scene small_diff
  run_for 20 "$release" run level --headless --ticks 5 --exec 'print(#world.export("kept"))' --load two.sqlite
  exits 0 err "exported kept"
  cmp -s data/shoal/saves/level/kept.json out.json || fail "$(diff data/shoal/saves/level/kept.json out.json)"
  run_for 20 "$release" run level --headless --ticks 5 --load two.sqlite \
    --exec 'local made = world.import("kept") return #made, made[2]:parent() == made[1], world.count("ship")'
  exits 0 out "2	true	4"
  run_for 20 "$release" run level --headless --ticks 1 --exec 'return select(2, pcall(world.import, "ketp"))'
  says out 'did you mean kept?'
}
it "a script can export scenes to the save folder and import scenes from this folder" script_exports

asteroids() {
  run_for 60 "$release" play asteroids --headless --ticks 400 --export one.json
  exits 0
  run_for 60 "$release" play asteroids --headless --ticks 0 --exec 'for e in world.each("transform") do e:destroy() end' \
    --exec "local text = [=[$(cat one.json)]=] world.import(text)" --export two.json
  exits 0
  cmp -s one.json two.json || fail "$(diff one.json two.json | head -n 5)"
}
it "Asteroids, exported in mid-game and imported again, gives the same export" asteroids

invalid_scene() {
  requires json_scene
  sed 's/"hp"/"hps"/' out.json >level/scenes/first.json
  run_for 20 "$release" run level --headless --ticks 2
  exits 1 err "scenes/first.json:8: entity 1 (ship): hull has no field hps"
  head -c 100 out.json >level/scenes/first.json
  run_for 20 "$release" run level --headless --ticks 2
  exits 1 err "scenes/first.json:" "invalid JSON"
  cp out.json level/scenes/first.json
  echo 'return {}' >level/scenes/first.lua
  run_for 20 "$release" run level --headless --ticks 2
  exits 1 err "two scenes are named first"
  rm level/scenes/first.lua
}
it "a game with an invalid scene does not start, and the error names the line" invalid_scene

undone_export() {
  cp -r level torn
  mkdir torn/systems
  echo 'return { update = function() world.export("torn") if world.tick == 1 then error("and no more") end end }' >torn/systems/a.lua
  run_for 20 "$release" run torn --headless --watch --ticks 3
  exits 1 err "and no more"
  [ "$(grep -c 'exported torn' err)" = 1 ] || fail "$(cat err)"
}
it "an export is not written if its tick is undone" undone_export

# After an invalid edit the game continues with the loaded scene.
edited_and_reverted() {
  requires json_scene
  : >err
  "$release" run level --headless --watch --ticks 100000000 2>err &
  pid=$!
  wait_for 20 grep -q ': seed ' err || fail "the game did not start: $(cat err)"
  sed 's/"ship"/"shop"/' out.json >level/scenes/first.json
  wait_for 20 grep -q 'first.json:5' err || { kill "$pid"; fail "the edit was not rejected: $(cat err)"; }
  cp out.json level/scenes/first.json
  wait_for 20 grep -q '^reloaded' err || { kill "$pid"; fail "no reload: $(cat err)"; }
  kill "$pid"
  wait "$pid"
  says err "reload refused: scenes/first.json:5: entity 1: unknown assemblage \"shop\""
  grep -q '^reloaded: the refused change was reverted; all files match the running game' err || fail "$(cat err)"
}
it "an invalid edit of a scene is rejected while the game runs, and reverting it is reported" edited_and_reverted

# The game changes the entity `hurt`; all other entities have the values of the scene file.
edited_scene() {
  rm -rf edited
  cp -r level edited
  mkdir edited/systems
  cat >edited/systems/a.lua <<'END'
return {
  start = function() end,
  update = function(dt) if world.tick == 2 then world.find("hurt").hull.hp = 3 log.info("one ship is hurt") end end,
  on = { ["shoal.reload"] = function(ev)
    local player, hurt = world.find("player"), world.find("hurt")
    print("now", player.hull.hp, hurt.hull.hp, player:has("motion") and player.motion.vx, hurt:has("motion"), ev.entities[1])
  end },
}
END
  cat >edited/scenes/first.json <<'END'
{ "entities": [
  { "assemblage": "ship", "name": "player", "components": { "hull": { "hp": 12 } } },
  { "assemblage": "ship", "name": "hurt", "components": { "hull": { "hp": 5 }, "motion": { "vx": 1 } } },
  { "assemblage": "ship", "components": { "hull": { "hp": 6 } } }
] }
END
  : >err
  : >out
  "$release" run edited --headless --watch --ticks 100000000 >out 2>err &
  pid=$!
  wait_for 20 grep -q 'one ship is hurt' err || { kill "$pid"; fail "the game did not start: $(cat err)"; }
  edit "$pid" 's/12/20/; s/"hp": 5/"hp": 8/; s/"hull": { "hp": 20 }/&, "motion": { "vx": 2.5 }/; s/, "motion": { "vx": 1 }//' 1
  edit "$pid" 's/, "motion": { "vx": 2.5 }//; s/player", "components": { "hull": { "hp": 20 } }/player"/; s/"hp": 6/"hp": 7/' 2
  edit "$pid" 's/"name": "hurt"/"name": "other"/' 3
  kill "$pid"
  wait "$pid"
  [ "$(cat out)" = "$(printf 'now\t20\t3\t2.5\tfalse\t2\nnow\t10\t3\tfalse\tfalse\t1\nnow\t10\t3\tfalse\tfalse\t0')" ] || fail "$(cat out err)"
  says err 'reload: scenes/first.json: hurt: hull.hp stays 3 instead of 8: the game has changed it'
  says err 'world.scene("first") starts the scene again: unnamed entities'
  says err 'world.scene("first") starts the scene again: other (new), hurt (removed)'
}
# edit PID 'SED' N: edits the scene with this sed expression, and waits until the handler of the N-th reload, which runs
# in the tick after the reload, has printed a line.
edit() {
  sed "$2" edited/scenes/first.json >edited/next && mv edited/next edited/scenes/first.json
  wait_for 20 handled_reloads "$3" || { kill "$1"; fail "no reload: $(cat out err)"; }
}
handled_reloads() { [ "$(grep -c '^now' out)" -ge "$1" ]; }
it "editing a scene updates its named entities, except values that the game has changed" edited_scene

renamed() {
  rm -rf renamed
  cp -r level renamed
  echo 'return { armour = { plates = 1, renamed_from = { "hull", plates = "hp" } }, motion = { vx = 0 } }' >renamed/components.lua
  sed -i 's/hull = { hp = 10 }/armour = {}/' renamed/assemblages.lua
  run_for 20 "$release" run renamed --headless --ticks 2
  exits 0 err "warn: scenes/first.json:8: “hull” is the former name of a component: write “armour”"
  rm -rf renamed && mkdir -p renamed/scenes renamed/assets renamed/systems
  cat >renamed/components.lua <<'END'
local t = shoal.types
return {
  fang = { force = 1, tint = t.vec3(1, 1, 1), renamed_from = { "bite", force = "power", tint = "colour" } },
  place = { vx = 0, renamed_from = { vx = "drive.vx" } },
  whirl = { rate = 0, renamed_from = { rate = "drive.turn" } },
  bag = t.many { n = 0, renamed_from = "sack" },
  tag = { renamed_from = "mark" },
}
END
  cat >renamed/assemblages.lua <<'END'
return { hound = { renamed_from = "wolf", components = { transform = {}, fang = {} },
  states = { initial = "calm", calm = {}, furious = { tag = {} }, renamed_from = { furious = "angry" } } } }
END
  cat >renamed/scenes/den.json <<'END'
{ "entities": [
  { "assemblage": "wolf", "name": "a", "state": "angry",
    "components": { "bite": { "power": 3, "colour": [1, 0, 0] },
      "drive": { "vx": 4, "turn": 5 },
      "sack": { "left": { "n": 2 } } } },
  { "assemblage": "hound", "name": "b", "components": {
      "fang": { "power": 9 }, "mark": {} } } ] }
END
  printf 'return { entities = {\n  { assemblage = "wolf", name = "c",\n    components = { bite = { power = 7 } } } } }' \
    >renamed/scenes/lair.lua
  cat >renamed/assets/m.tmj <<'END'
{ "orientation": "orthogonal", "width": 1, "height": 1, "tilewidth": 16, "tileheight": 16, "tilesets": [],
  "layers": [ { "type": "objectgroup", "name": "o", "objects": [
    { "id": 1, "type": "wolf", "name": "d", "x": 1, "y": 1, "point": true, "properties": [
      { "name": "power", "type": "int", "value": 6 }, { "name": "drive.turn", "type": "int", "value": 8 },
      { "name": "sack.left.n", "type": "int", "value": 4 }, { "name": "state", "type": "string", "value": "angry" } ] } ] } ] }
END
  cat >renamed/game.lua <<'END'
return { title = "renamed", start = function()
  world.open("den") world.open("lair")
  world.spawn(nil, { transform = {}, tilemap = { map = "m.tmj" } })
end }
END
  cat >renamed/systems/prints.lua <<'END'
return { update = function()
  for e in world.each("name") do
    print(e:name(), e:assemblage(), e:state(), e.fang.force, e.fang.tint.g, e:has("place") and e.place.vx,
      e:has("whirl") and e.whirl.rate, e:has("bag") and e.bag.left.n, e:has("tag"))
  end
end }
END
  run_for 20 "$release" run renamed --headless --ticks 1
  exits 0
  while read -r place; do says err "warn: $place"; done <<'END'
scenes/den.json:2: “wolf” is the former name of an assemblage: write “hound”
scenes/den.json:2: “angry” is the former name of a state: write “furious”
scenes/den.json:3: “bite” is the former name of a component: write “fang”
scenes/den.json:4: “drive” is the former name of a component: write “place” and “whirl”
scenes/den.json:5: “sack” is the former name of a component: write “bag”
scenes/den.json:7: “fang.power” is the former name of a field: write “fang.force”
scenes/den.json:7: “mark” is the former name of a component: write “tag”
scenes/lair.lua:2: “wolf” is the former name of an assemblage: write “hound”
scenes/lair.lua:3: “bite” is the former name of a component: write “fang”
m.tmj: object 1 "d": “wolf” is the former name of an assemblage: write “hound”
m.tmj: object 1 "d": “fang.power” is the former name of a field: write “fang.force”
m.tmj: object 1 "d": “drive” is the former name of a component: write “place” and “whirl”
m.tmj: object 1 "d": “sack” is the former name of a component: write “bag”
END
  says out "a	hound	furious	3	0	4	5	2	true" "b	hound	calm	9	1	false	false	false	true"
  says out "c	hound	calm	7	1	false	false	false	false" "d	hound	furious	6	1	0	8	4	true"
}
it "scenes and maps with former names are loaded with a warning for each name" renamed

rename_of_plugin_component() {
  rm -rf owned
  mkdir owned
  echo 'return { title = "owned", plugins = { "grass" } }' >owned/game.lua
  for was in '{ v = "grass.height" }' '"grass_foot"'; do
    echo "return { meadow = { v = 0, renamed_from = $was } }" >owned/components.lua
    run_for 20 "$release" run owned --headless --ticks 2
    exits 1 err "components.lua:1: renamed_from of meadow" "is still declared: remove the "
  done
}
it "a component declared by a plugin cannot be the source of a rename" rename_of_plugin_component

# Former names in an assemblage, a state, a query and a sequence are errors; in a function they only cause a warning.
old_names() {
  rm -rf old
  mkdir -p old/systems old/sequences
  echo 'return { title = "old" }' >old/game.lua
  cat >old/components.lua <<'END'
return {
  place = { vx = 0, renamed_from = { vx = "drive.vx" } },
  whirl = { rate = 0, renamed_from = { rate = "drive.turn" } },
}
END
  printf 'return { car = { components = { transform = {},\n  drive = { vx = 1 } },\n  states = { initial = "on", on = {\n    drive = {} } } },\n%s' \
    '  less = { is = "car", without = { "drive" } } }' >old/assemblages.lua
  printf 'return {\n  query = { "drive" }, update = function(q)\n    local n = q.count\n    for e in world.each("drive") do n = n + e.drive.vx end\n  end }' \
    >old/systems/moves.lua
  printf 'return {\n  { wait = 1 },\n  { tween = "drive.vx", to = 1, seconds = 1 } }' >old/sequences/goes.lua
  run_for 20 "$release" run old --headless --ticks 2
  exits 1 err "5 declarations use former names of components or fields:"
  for place in assemblages.lua:2 assemblages.lua:4 assemblages.lua:5 systems/moves.lua:2 sequences/goes.lua:3; do
    says err "$place: drive.vx is now place.vx, drive.turn is now whirl.rate"
  done
  rm -r old/sequences
  echo 'return { car = { components = { place = {} } } }' >old/assemblages.lua
  sed -i 's/query = { "drive" }/query = { "place" }/' old/systems/moves.lua
  echo 'return { title = "old", start = function() world.spawn("car") end }' >old/game.lua
  run_for 20 "$release" run old --headless --ticks 2
  says err "systems/moves.lua:4: former name of a component (raises an error when the line runs): drive.vx is now place.vx, drive.turn is now whirl.rate"
  says err "systems/moves.lua:4: unknown component drive: drive.vx is now place.vx, drive.turn is now whirl.rate"
}
it "former component names are listed in one error in declarations, and cause warnings in functions" old_names

# Former names of a renamed field are reported in the same way.
old_fields() {
  rm -rf old
  mkdir -p old/systems old/sequences old/behaviours
  echo 'return { title = "old", start = function() world.spawn("car") end }' >old/game.lua
  cat >old/components.lua <<'END'
local t = shoal.types
return {
  poise = { balance = 0, renamed_from = { balance = "stability" } },
  gun = t.many { heat = 0, renamed_from = { heat = "warmth" } },
  mode = t.single { phase = t.string "on", renamed_from = { phase = "stage" } },
}
END
  printf 'return { fields = { anger = 1, renamed_from = { anger = "rage" } }, update = function(self)\n  self.rage = 2 end }' \
    >old/behaviours/guard.lua
  printf 'return { car = { components = { transform = {}, poise = {\n  stability = 1 }, gun = { left = {\n  warmth = 1 } } },
  states = { initial = "on", on = { guard = {\n  rage = 1 } } } } }' >old/assemblages.lua
  printf 'return { query = { "poise" },\n  when = { mode = { stage = "on" } }, update = function(q)\n  end }' >old/systems/moves.lua
  printf 'return {\n  { wait = 1 },\n  { tween = "poise.stability", to = 1, seconds = 1 } }' >old/sequences/goes.lua
  run_for 20 "$release" run old --headless --ticks 2
  exits 1 err "5 declarations use former names of components or fields:"
  for place in assemblages.lua:2 sequences/goes.lua:3; do
    says err "$place: poise.stability is now poise.balance"
  done
  says err "assemblages.lua:3: gun.warmth is now gun.heat"
  says err "assemblages.lua:5: guard.rage is now guard.anger"
  says err "systems/moves.lua:2: mode.stage is now mode.phase"
  rm -r old/sequences
  echo 'return { car = { components = { transform = {}, poise = {}, guard = {} } } }' >old/assemblages.lua
  printf 'return { query = { "poise" }, update = function(q)
    local stability = math.abs(1)
    q.poise.balance[1] = stability + #tostring(q.count)
    if world.tick == 1 then
      q.poise.stability[1] = 5 end
    world.spawn(nil, { poise = { stability = 3 } })
    world.tween(q.entity[1], "poise.stability", 1, 1) end }' >old/systems/moves.lua
  run_for 20 "$release" run old --headless --ticks 2
  for line in 5 6 7; do
    says err "systems/moves.lua:$line: former name of a field (raises an error when the line runs): poise.stability is now poise.balance"
  done
  [ "$(grep -c 'warn.*former name of a field' err)" = 4 ] || fail "$(grep 'former name' err)"
  says err "behaviours/guard.lua:2: former name of a field (raises an error when the line runs): guard.rage is now guard.anger"
  says err "behaviours/guard.lua:2: guard has no field or function rage: guard.rage is now guard.anger"
  says err "systems/moves.lua:6: poise has no field stability: renamed to balance"
}
it "former field names are listed in one error in declarations, and cause warnings in functions" old_fields

# The component foe was renamed; an assemblage, a layer, an event's field and a sound are called foe, too.
reused_name() {
  rm -rf old
  mkdir -p old/systems
  echo 'return { title = "old", layers = { "foe" }, start = function() world.spawn("foe") end }' >old/game.lua
  echo 'return { monster = { hp = 1, renamed_from = "foe" } }' >old/components.lua
  echo 'return { calm = { foe = shoal.types.entity } }' >old/events.lua
  echo 'return { foe = { components = { transform = {}, monster = {}, body = { category = "foe" } } } }' >old/assemblages.lua
  cat >old/systems/calls.lua <<'END'
return {
  update = function()
    local foe = world.spawn("foe")
    world.emit("calm", { foe = foe })
    print(world.count("foe"), world.nearest(0, 0, "foe"), foe:assemblage() == "foe")
    audio.play("foe.wav")
  end,
  on = { calm = function(ev) print(ev.foe[1]) end },
}
END
  cat >old/systems/uses.lua <<'END'
return { update = function()
  local e = world.spawn("foe")
  print(e:has("foe"))
  e.foe.hp = 2
  print(world.lookup("foe"))
  world.spawn("foe", { foe = { hp = 3 } })
  world.tween(e, "foe.hp", 1, 1)
  for other in world.each { "foe" } do print(other) end
end }
END
  run_for 20 "$release" run old --headless --ticks 2
  for line in 3 4 5 6 7 8; do
    says err "systems/uses.lua:$line: former name of a component (raises an error when the line runs): foe is now monster"
  done
  [ "$(grep -c 'former name of a component' err)" = 6 ] || fail "$(grep 'former name' err)"
}
it "a former component name with a second meaning in the game causes warnings only where it names the component" \
  reused_name
