# Several open scenes (from Denys Kryvytskyi: "several scenes open, parts of a world loaded and unloaded"): opening,
# closing, editing, saving, rewinding and replaying scenes, and errors with their line.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf data game
mkdir -p game/scenes game/systems
echo 'return { title = "layers", scene = "base" }' >game/game.lua
echo 'return { hp = { v = 1 } }' >game/components.lua
echo 'return { ship = { components = { transform = {}, hp = { v = 10 } }, children = { gun = { components = { hp = {} } } } } }' \
  >game/assemblages.lua
echo '{ "entities": [ { "assemblage": "ship", "name": "boss" } ] }' >game/scenes/base.json
echo '{ "entities": [ { "assemblage": "ship", "name": "boss", "components": { "hp": { "v": 3 } } } ] }' >game/scenes/yard.json
cat >game/scenes/hall.lua <<'END'
return {
  entities = { { assemblage = "ship", name = "lamp" } },
  start = function()
    print("hall finds", world.find("lamp").hp.v, world.count("ship"))
    world.spawn("ship", { name = "made" })
  end,
}
END
echo 'return { entities = { { assemblage = "ship" } }, start = function() world.spawn("ship") error("no start") end }' >game/scenes/bad.lua
cat >game/systems/steps.lua <<'END'
local function members()
  local out = {}
  for e in world.each("in_scene") do out[#out + 1] = e.in_scene.name .. ":" .. (e:name() or "?") end
  print(world.tick, world.count("ship"), table.concat(out, " "))
end
return { update = function()
  local tick = world.tick
  if tick == 2 then world.open("yard") world.open("hall") end
  if tick == 4 then
    members()
    for _, row in ipairs(world.sql("SELECT name, count(*) AS n FROM in_scene GROUP BY name")) do print(row.name, row.n) end
    world.close("yard")
  elseif tick == 6 then members() world.close("base")
  elseif tick == 8 then members() world.open("yard") world.scene("base") world.open("hall")
  elseif tick == 10 then members() world.close("hall") world.open("hall") world.open("yard") world.close("yard")
  elseif tick == 12 then members() end
end }
END

opened() {
  run_for 20 "$release" run game --headless --ticks 14 "$@"
  exits 0
  cat >expected <<'END'
hall finds	10	3
4	4	base:boss base:gun yard:boss yard:gun hall:lamp hall:gun hall:made hall:gun
base	2
hall	4
yard	2
6	3	base:boss base:gun hall:made hall:gun hall:lamp hall:gun
8	2	hall:lamp hall:gun hall:made hall:gun
hall finds	10	2
10	3	base:boss base:gun hall:lamp hall:gun hall:made hall:gun
hall finds	10	2
12	3	base:boss base:gun hall:lamp hall:gun hall:made hall:gun
END
  cmp -s out expected || fail "$(diff out expected)"
}
it "several scenes can be open, each entity stores its scene, and closing a scene destroys only its entities" opened
it "open scenes are the same when every tick is re-simulated from five ticks earlier" opened --check-rollback 5

# Saves at tick 5, while the scene yard is being closed, and compares the hashes of tick 6 and later.
replay_and_save() {
  run_for 20 "$release" run game --headless --ticks 14 --hash every=1 --record layers.replay
  exits 0
  grep '^tick' out >whole
  run_for 20 "$release" run game --headless --replay layers.replay
  exits 0
  run_for 20 "$release" run game --headless --ticks 5 --save five.sqlite
  run_for 20 "$release" run game --headless --ticks 14 --load five.sqlite --hash every=1
  grep '^tick' out >loaded
  sed -n '/^tick 6 /,$p' whole >rest
  sed -n '/^tick 6 /,$p' loaded | cmp -s - rest || fail "$(diff loaded rest)"
}
it "open scenes give the same hashes in a replay and after loading a save" replay_and_save

rewound() {
  rm -rf travel
  cp -r game travel
  allow_kept_locals travel
  cat >travel/systems/travel.lua <<'END'
local rewound
return { phase = "post_update", priority = 1000, update = function()
  if world.tick == 9 and not rewound then
    rewound = true
    world.restore(4)
  elseif world.tick == 10 then -- scenes requested in this tick are not open yet
    reload()
  end
end }
END
  run_for 20 "$release" run travel --headless --history 8 --ticks 14 --hash
  exits 0
  grep '^tick' out >travelled
  [ "$(grep -c '^6	3' out)" = 2 ] || fail "the game was not rewound: $(cat out err)"
  sed -i 's/world.tick == [0-9]*/false/' travel/systems/travel.lua
  run_for 20 "$release" run travel --headless --history 8 --ticks 14 --hash
  grep '^tick' out | cmp -s - travelled || fail "the hashes differ: $(cat out travelled)"
}
it "a rewind followed by reloads keeps the open scenes and their hashes" rewound

# --- scenes with saved = false

menu_game() { # menu_game SAVED: writes a game that opens a pause menu at tick 3 and saves while the menu is open
  rm -rf paused data/shoal/saves/paused
  mkdir -p paused/scenes paused/systems
  echo 'return { title = "paused", start = function() world.spawn("hero", { name = "hero" }) end }' >paused/game.lua
  echo 'return { hero = { components = { transform = {} } },
    menu = { components = { panel = {} }, children = { { components = { button = { text = "Save" } } } } } }' >paused/assemblages.lua
  echo "return { saved = $1, entities = { { assemblage = \"menu\", name = \"menu\" } } }" >paused/scenes/menu.lua
  cat >paused/systems/menu.lua <<'END'
return { phase = "input", update = function()
  if world.find("menu") and not world.find("child") then
    world.spawn(nil, { name = "child", transform = { parent = world.find("menu") } }) -- has no in_scene
    world.save("slot")
    world.pause(false)
  elseif world.tick == 3 then
    world.open("menu")
    world.pause(true)
  elseif world.tick == 5 then
    local rows = world.sql("SELECT count(*) AS n FROM entities")
    print(rows[1].n, world.count("widget"), world.single["shoal.scene"].current == "\nmenu")
  end
end }
END
}
unsaved_menu() {
  menu_game true
  run_for 20 "$release" run paused --headless --ticks 6
  says out "4	2	true"
  cp data/shoal/saves/paused/slot.sqlite with_menu.sqlite
  menu_game false
  run_for 20 "$release" run paused --headless --ticks 6 --hash
  exits 0 out "4	2	true"
  grep '^tick' out >saving
  run_for 20 "$release" sql data/shoal/saves/paused/slot.sqlite "SELECT count(*) AS n, max(name) FROM entities"
  says out "1  hero"
  sed -i 's/world.save("slot")//' paused/systems/menu.lua
  run_for 20 "$release" run paused --headless --ticks 6 --hash
  grep '^tick' out | cmp -s - saving || fail "saving has changed the world: $(cat out saving)"
  for save in data/shoal/saves/paused/slot.sqlite with_menu.sqlite; do
    run_for 20 "$release" run paused --headless --ticks 6 --load $save
    exits 0 out "1	0	false"
  done
}
it "a save made while a menu with saved = false is open does not contain the menu, and the menu stays open" unsaved_menu

# --- errors

failing_start() {
  rm -rf wrong
  cp -r game wrong
  rm wrong/systems/steps.lua
  echo 'return { update = function() if world.tick == 3 then print("alive", world.count("ship"), world.count("in_scene"))
    world.close("yard") world.close("bad") elseif world.tick == 5 then print("alive", world.count("ship"))
    print("open", world.single["shoal.scene"].current, #world.single["shoal.scene"].wanted) end end }' >wrong/systems/a.lua
  run_for 20 "$release" run wrong --headless --ticks 6 "$@" --exec 'world.open("bad") world.open("yard")'
  exits 1 err "error in scene bad: scenes/bad.lua:1: no start"
  [ "$(cat out)" = "$(printf 'alive\t2\t4\nalive\t1\nopen\tbase\t0')" ] || fail "$(cat out err)"
}
it "a scene whose start function fails is not opened, but a scene requested afterwards opens" failing_start
it "a scene whose start function fails is not opened in a run with --watch" failing_start --watch

# fixed_scene CALL OPEN_SCENES: world.CALL("bad") fails, and other scenes are opened and closed. Once the scene's file
# is fixed, OPEN_SCENES must be open.
fixed_scene() {
  rm -rf mended
  cp -r game mended
  cat >mended/systems/steps.lua <<'END'
local function is_open() return (world.single["shoal.scene"].current:gsub("\n", "+")) end
return { update = function()
  if world.tick == 1 then world.open("yard")
  elseif world.tick == 2 then world.%s("bad")
  elseif world.tick == 4 then print("at 4", is_open()) world.open("hall") world.close("yard")
  elseif world.tick == 6 then print("at 6", is_open()) end
end, on = { ["shoal.reload"] = function() print("mended", is_open()) end } }
END
  sed -i "s/%s/$1/" mended/systems/steps.lua
  : >out
  : >err
  "$release" run mended --headless --watch --ticks 100000000 >out 2>err &
  pid=$!
  wait_for 20 grep -q '^at 6' out || { kill "$pid"; fail "the game does not reach tick 6: $(cat out err)"; }
  echo 'return {}' >mended/scenes/bad.lua
  wait_for 20 grep -q '^mended' out || { kill "$pid"; fail "no reload: $(cat out err)"; }
  kill "$pid"
  wait "$pid"
  [ "$(grep -v '^hall' out)" = "$(printf 'at 4\tbase+yard\nat 6\tbase+hall\nmended\t%s' "$2")" ] || fail "$(cat out err)"
}
it "a scene whose start function failed opens once its file is fixed" fixed_scene open base+hall+bad
it "a scene that failed to replace the open scenes replaces them once its file is fixed" fixed_scene scene bad

reports_error() { # reports_error MESSAGE LUA [PHASE]: the Lua code is line 2 of the system wrong.lua
  rm -rf wrong
  cp -r game wrong
  rm wrong/systems/steps.lua
  printf 'return { phase = "%s", update = function()\n%s\nend }\n' "${3-update}" "$2" >wrong/systems/wrong.lua
  run_for 20 "$release" run wrong --headless --ticks 3
  exits 1 err "systems/wrong.lua:2: $1"
}
invalid_calls() {
  reports_error 'world.open: the scene yard is already open: close it with world.close("yard")' 'world.open("yard") world.open("yard")'
  reports_error 'world.open: the scene base is already open' 'if world.tick == 2 then world.open("base") end'
  reports_error 'world.close: the scene base is already being closed' 'if world.tick == 2 then world.close("base") world.close("base") end'
  reports_error 'world.close: the scene yard is not open; open: base' 'if world.tick == 2 then world.close("yard") end'
  reports_error 'world.open: scenes/yrad.lua or .json not found: did you mean yard?' 'world.open("yrad")'
  reports_error 'world.close: scenes/halls.lua or .json not found: did you mean hall?' 'world.close("halls")'
  reports_error 'world.open: scenes/7.lua or .json not found' 'world.open(7)'
  reports_error 'world.open is not allowed in ' 'world.open("yard")' render
  reports_error 'world.close is not allowed in ' 'world.close("base")' render
  for what in 'world.open("yard")' 'world.close("base")'; do
    printf '\n%s\nreturn {}' "$what" >wrong/systems/wrong.lua
    run_for 20 "$release" run wrong --headless --ticks 3
    exits 1 err "systems/wrong.lua:2: ${what%(*}: there is no world while files are loaded"
  done
}
it "an invalid call to world.open or world.close is reported with its line" invalid_calls

# --- edited scenes

edited_scenes() {
  rm -rf edited
  cp -r game edited
  echo 'return { update = function() if world.tick == 1 then world.open("yard") world.open("hall") end end,
    on = { ["shoal.reload"] = function()
      for e in world.each("in_scene") do if e:name() == "boss" then print("now", e.in_scene.name, e.hp.v) end end
    end } }' >edited/systems/steps.lua
  : >out
  : >err
  "$release" run edited --headless --watch --ticks 100000000 >out 2>err &
  pid=$!
  wait_for 20 grep -q 'hall finds' out || { kill "$pid"; fail "the game does not start: $(cat out err)"; }
  edit 's/"v": 3/"v": 5/' yard.json 1
  edit 's/"boss"/"boss", "components": { "hp": { "v": 7 } }/' base.json 2
  edit 's/lamp/lamps/' hall.lua 3
  kill "$pid"
  wait "$pid"
  printf 'now\tbase\t10\nnow\tyard\t5\nnow\tbase\t7\nnow\tyard\t5\nnow\tbase\t7\nnow\tyard\t5\n' >expected
  grep now out | cmp -s - expected || fail "$(cat out err)"
  says err 'the scene "hall" is closed and opened again (world.close, world.open)'
}
# edit SED FILE N: edits the scene with this sed expression, and waits until the handler of the N-th reload, which runs in
# the tick after the reload, has printed two entities.
edit() {
  sed "$1" "edited/scenes/$2" >edited/next && mv edited/next "edited/scenes/$2"
  wait_for 20 handled_reloads "$3" || { kill "$pid"; fail "no reload: $(cat out err)"; }
}
handled_reloads() { [ "$(grep -c '^now' out)" -ge $((2 * $1)) ]; }
it "editing a scene changes only its own entities, even if a different open scene uses the same names" edited_scenes

systems_of_scenes() { # systems with `scene` run while one of their scenes is open, even if other scenes are open too
  rm -rf gated
  mkdir -p gated/scenes gated/systems gated/behaviours
  echo 'return { title = "gated", scene = "camp" }' >gated/game.lua
  for scene in camp camp_fire cave; do
    echo "return { entities = { { name = \"$scene\", components = { glow = {} } } } }" >gated/scenes/$scene.lua
  done
  echo 'return { scene = "cave", update = function(self) print("glow", world.tick) end }' >gated/behaviours/glow.lua
  echo 'return { scene = "camp", enter = function(e) print("enter", e:name()) end, query = { "glow" },
    update = function() print("camp", world.tick) end }' >gated/systems/camp.lua
  echo 'return { scene = { "camp_fire", "cave" }, update = function() print("others", world.tick) end }' >gated/systems/others.lua
  echo 'return { priority = -1, update = function()
    if world.tick == 1 then world.open("cave") elseif world.tick == 3 then world.close("camp")
    elseif world.tick == 5 then world.scene("camp_fire") elseif world.tick == 7 then world.scene("camp") end
  end }' >gated/systems/steps.lua
  run_for 20 "$release" run gated --headless --ticks 10
  exits 0
  runs() { grep -P "^$1\t" out | cut -f 2 | uniq | tr '\n' ' '; }
  [ "$(runs camp)" = "0 1 2 3 8 9 " ] || fail "camp ran in the ticks $(runs camp)"
  [ "$(runs others)" = "2 3 4 5 6 7 " ] || fail "the system of two scenes ran in the ticks $(runs others)"
  [ "$(runs glow)" = "2 3 4 5 " ] || fail "the behaviour ran in the ticks $(runs glow)"
  run_for 20 "$release" sql gated "SELECT name, condition FROM systems WHERE condition <> '' ORDER BY name"
  says out "scene = camp_fire or cave"
}
it 'systems and behaviours with `scene` run only while one of their scenes is open' systems_of_scenes
