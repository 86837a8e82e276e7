# The events collision_began and collision_ended, based on CollisionBeginEvent and CollisionEndEvent in Tobias Stein's
# game BountyHunter.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
rm -rf hall quiet
mkdir -p hall/systems
cat >hall/game.lua <<'END'
return { tests = true, start = function()
  for i = 1, 4 do
    world.spawn(nil, { name = { value = "b" .. i }, transform = { x = i * 100 }, body = { radius = 10 } })
  end
end }
END
cat >hall/systems/hears.lua <<'END'
local function say(what)
  return function(ev)
    for i = 1, ev.count do
      local a, b = ev.a[i], ev.b[i]
      print(world.tick, what, a:alive() and a:name() or "gone", b:alive() and b:name() or "gone",
        what == "began" and ev.depth[i] or "")
    end
  end
end
return { phase = "post_update", on = { collision_began = say "began", collision_ended = say "ended" } }
END
cat >hall/systems/moves.lua <<'END'
local function b(i) return world.find("b" .. i) end
local ACTS = {
  [1] = function() b(2).transform.x = 115 end,
  [4] = function() b(3).transform.x = 105 end,
  [6] = function() b(2).transform.x = 200 end,
  [8] = function() b(3):remove("body") end,
  [10] = function() b(3):add("body", { radius = 10 }) b(4).transform.x = 110 end,
  [12] = function() b(4):destroy() end,
  [14] = function() b(1).body.enabled = false end,
}
return { phase = "pre_update", update = function() if ACTS[world.tick] then ACTS[world.tick]() end end }
END
cat >expected <<'END'
1 began b1 b2 5
4 began b1 b3 15
4 began b2 b3 10
6 ended b1 b2
6 ended b2 b3
8 ended b1 b3
10 began b1 b3 15
10 began b1 b4 10
10 began b3 b4 15
12 ended b1 gone
12 ended b3 gone
14 ended b1 b3
END

emits_expected_events() { # emits_expected_events [OPTIONS]
  run_for 20 "$release" run hall --headless --hash every=1 "$@"
  exits 0
  grep -E 'began|ended' "$tmp/out" | tr '\t' ' ' | sed 's/ $//' >"$tmp/got"
  cmp -s "$tmp/got" expected || fail "$(diff "$tmp/got" expected)"
}
it "collision_began and collision_ended are emitted once per collision" \
  emits_expected_events --ticks 20
it "collision events are the same with two workers, --watch and a history together" emits_expected_events --ticks 20 --workers 2 --watch --history 8

continues_after_load() {
  run_for 20 "$release" run hall --headless --ticks 20 --hash every=1
  grep '^tick' "$tmp/out" >hashes
  run_for 20 "$release" run hall --headless --ticks 7 --save half.sqlite
  run_for 20 "$release" run hall --headless --ticks 20 --load half.sqlite --hash every=1
  exits 0
  ! grep -q '^7	began' "$tmp/out" || fail "collision_began was emitted again after loading"
  says out "$(printf '8\tended\tb1\tb3')"
  [ "$(tail -n 1 hashes)" = "$(grep '^tick' "$tmp/out" | tail -n 1)" ] || fail "hashes differ after loading: $(tail -n 2 "$tmp/out")"
}
it "after loading a save made during a collision, collision_began is not repeated and collision_ended follows" continues_after_load

rewound() {
  rm -rf back
  cp -r hall back
  cat >back/systems/z_back.lua <<'END'
local gone = false
return { phase = "post_update", update = function()
  if world.tick == 11 and not gone then gone = true world.restore(6) end
end }
END
  run_for 20 "$release" run back --headless --ticks 26 --history 16 --record back.replay --hash every=1
  exits 0
  [ "$(grep -c '^6	ended	b1	b2' "$tmp/out")" = 2 ] || fail "$(cat "$tmp/out")"
  [ "$(grep -c '^1	began' "$tmp/out")" = 1 ] || fail "$(cat "$tmp/out")"
  grep '^tick' "$tmp/out" | sort -u >hashes
  [ "$(wc -l <hashes)" = "$(cut -d ' ' -f 2 hashes | sort -u | wc -l)" ] || fail "a tick has two hashes"
  run_for 20 "$release" run back --headless --replay back.replay --hash every=1
  exits 0
  [ "$(grep '^tick' "$tmp/out" | sort -u)" = "$(cat hashes)" ] || fail "the replay gives different hashes"
}
it "a rewind and a replay emit the same collision events as the first run" rewound

# Without a handler, collision events cost nothing, because the world has no tables for them.
no_handler() {
  cp -r hall quiet
  rm quiet/systems/hears.lua
  run_for 20 "$release" run quiet --headless --ticks 3 --exec 'return #world.sql("SELECT * FROM collision_began")'
  exits 1 err "no such table: collision_began"
}
it "a world without a handler for collision events has no tables for them" no_handler

reserved_names() {
  run_for 20 "$release" run hall --headless --ticks 1 --exec 'world.emit("collision_began", {})'
  exits 1 err "world.emit: unknown event collision_began"
  rm -rf bad
  cp -r hall bad
  echo 'return { collision_ended = { a = 1 } }' >bad/events.lua
  run_for 20 "$release" run bad --headless --ticks 1
  exits 1 err 'events.lua:1: the event collision_ended is already declared by Shoal: choose a different name'
}
it "a game cannot emit or redeclare collision events" reserved_names

# --- named layers

named_layers() {
  rm -rf layered
  mkdir -p layered/systems
  cat >layered/game.lua <<'END'
return { title = "layered", layers = { "hero", "foe", "shot" }, start = function()
  world.spawn(nil, { name = "map", transform = {}, tilemap = {} })
  world.spawn(nil, { transform = { x = 3 }, findable = { category = { "foe", "shot" } } })
  world.spawn("hero", { transform = { x = 5 } })
  world.spawn("foe")
end }
END
  cat >layered/assemblages.lua <<'END'
return {
  hero = { components = { transform = {}, body = { category = "hero", mask = { "foe", "shot" } } } },
  foe = { components = { transform = {}, body = { category = "foe", mask = "all" } } },
}
END
  cat >layered/systems/look.lua <<'END'
return { query = { "body" }, update = function(q)
  if world.tick ~= 2 then return end
  local hero = world.nearest(0, 0, "hero")
  print(hero:assemblage(), hero.body.category, hero.body.mask, world.nearest(0, 0, "foe").body.mask)
  print(#world.near(0, 0, 90, { "hero", "foe" }), #world.box(-9, -9, 9, 9, "shot"), world.ray(-50, 0, 50, 0, 2):assemblage())
  hero.body.mask = "shot"
  for i = 1, q.count do if q.body.category[i] == 2 then q.body.mask[i] = { "hero", "shot" } end end
  print(hero.body.mask, world.nearest(0, 0, "foe").body.mask)
  local tiles = world.tiles(world.find("map"))
  for _, call in ipairs {
    function() return world.near_count(0, 0, 9, "shot") end,
    function() return world.near_count(0, 0, 9, "hero") end,
    function() return world.near_count(0, 0, 9, "shto") end,
    function() return tiles:way(1, 1, 2, 1, "shto") end,
  } do
    print("call", pcall(call))
  end
  world.near(0, 0, 9, "heor")
end }
END
  run_for 20 "$release" run layered --headless --ticks 4
  says out "hero	1	6	4294967295" "3	1	foe" "4	5" "call	true	1" "call	true	1"
  says out "world.near_count: unknown layer shto: did you mean shot?"
  says out "tiles:way: unknown layer shto: did you mean shot?"
  says err "systems/look.lua:18: world.near: unknown layer heor: did you mean hero?"
  sed -i 's/category = "foe"/category = "fo"/' layered/assemblages.lua
  run_for 20 "$release" run layered --headless --ticks 1
  says err "assemblages.lua:3: body.category: unknown layer fo: did you mean foe?"
  sed -i 's/"hero", "foe", "shot"/"hero", "hero"/' layered/game.lua
  run_for 20 "$release" run layered --headless --ticks 1
  says err "game.lua:1: layers contains hero twice: remove one of them"
}
it "categories and masks can be set to layer names, and are read as numbers" named_layers

# list_layers NAMES: replaces the list of layers in game.lua.
list_layers() {
  sed -i "s/layers = {[^}]*}/layers = { $1 }/" layered/game.lua
}

follows_edited_layers() {
  rm -rf layered
  mkdir -p layered/systems
  cat >layered/game.lua <<'END2'
return { title = "layered", layers = { "hero", "foe", "shot" }, start = function()
  world.spawn("hero")
  world.spawn(nil, { name = "loose", transform = {}, body = { category = "shot", mask = { "hero", "foe" } } })
  world.spawn(nil, { name = "other", transform = {}, body = { category = 8, mask = "all" } })
end }
END2
  cat >layered/assemblages.lua <<'END2'
return { hero = { components = { transform = {}, name = "hero", body = { category = "hero", mask = { "foe", "shot" } } } } }
END2
  cat >layered/systems/look.lua <<'END2'
return { phase = "post_update", update = function()
  for _, name in ipairs { "hero", "loose", "other" } do
    local body = world.find(name).body
    print("tick", world.tick, name, body.category, body.mask)
  end
end }
END2
  run_for 20 "$release" run layered --headless --ticks 3 --save layered.sqlite
  exits 0 out "$(printf 'tick\t2\thero\t1\t6')" "$(printf 'tick\t2\tloose\t4\t3')"
  list_layers '"shot", "hero", "wall", "foe"'
  run_for 20 "$release" run layered --headless --ticks 4 --load layered.sqlite
  exits 0 out "$(printf 'tick\t3\thero\t2\t9')" "$(printf 'tick\t3\tloose\t1\t10')"
  says out "$(printf 'tick\t3\tother\t8\t4294967295')"
  says err "migrated an older save: body.category: layers changed, values matched by name"
  list_layers '"hero"'
  sed -i 's/category = "shot", mask = { "hero", "foe" }/category = "hero"/' layered/game.lua
  sed -i 's/"foe", "shot"/"hero"/' layered/assemblages.lua
  run_for 20 "$release" run layered --headless --ticks 4 --load layered.sqlite
  exits 0 out "$(printf 'tick\t3\thero\t1\t1')" "$(printf 'tick\t3\tloose\t0\t1')"
  says err "body.category: foe, shot removed from layers: dropped from 1 row"
}
it "bodies in a save keep their layers by name when the list in game.lua has changed" follows_edited_layers

# A number written to a save refers to the list of layers in that save.
edits_follow_layers() {
  rm -rf layered layered.sqlite
  mkdir -p layered/systems
  cat >layered/game.lua <<'END2'
return { title = "layered", layers = { "hero", "foe", "shot" }, start = function() world.spawn("hero") end }
END2
  cat >layered/assemblages.lua <<'END2'
return { hero = { components = { transform = {}, name = "hero", body = { category = "hero", mask = { "foe", "shot" } } } } }
END2
  cat >layered/systems/look.lua <<'END2'
return { phase = "post_update", update = function()
  local body = world.find("hero").body
  print("tick", world.tick, body.category, body.mask)
end }
END2
  run_for 20 "$release" run layered --headless --ticks 2 --save layered.sqlite
  exits 0
  run_for 20 "$release" sql layered.sqlite "UPDATE transform SET x = 7" --write
  exits 0
  sed -i 's/layers = {[^}]*}/layers = { "shot", "hero", "wall", "foe" }/' layered/game.lua
  run_for 20 "$release" run layered --headless --ticks 3 --load layered.sqlite
  exits 0 out "$(printf 'tick\t2\t2\t9')"
  run_for 20 "$release" sql layered.sqlite "UPDATE body SET category = 4" --write
  exits 0
  run_for 20 "$release" run layered --headless --ticks 3 --load layered.sqlite
  exits 0 out "$(printf 'tick\t2\t1\t9')"
}
it "an edited save keeps layers by name when the list in game.lua has changed" edits_follow_layers

scenes_and_maps_with_layers() {
  rm -rf drawn
  mkdir -p drawn/scenes drawn/assets
  echo 'return { title = "drawn", scene = "yard", layers = { "hero", "foe", "shot" } }' >drawn/game.lua
  echo 'return { wall = { components = { transform = {}, body = { category = "foe" } } } }' >drawn/assemblages.lua
  cat >drawn/scenes/yard.json <<'END'
{
  "format": 1,
  "entities": [
    {
      "name": "a",
      "components": {
        "body": { "category": "shot", "mask": ["hero", "foe"] },
        "transform": {}
      }
    },
    {
      "name": "b",
      "components": {
        "body": { "category": 8, "mask": 0 },
        "transform": {}
      }
    }
  ]
}
END
  run_for 20 "$release" run drawn --headless --ticks 1 --export out.json
  exits 0
  diff drawn/scenes/yard.json out.json || fail "the export differs: $(cat out.json)"
  cat >drawn/assets/room.tmj <<'END'
{ "type": "map", "orientation": "orthogonal", "width": 1, "height": 1, "tilewidth": 16, "tileheight": 16, "layers": [
  { "type": "objectgroup", "name": "things", "objects": [
    { "id": 1, "name": "w", "type": "wall", "x": 1, "y": 2, "point": true, "properties": [
      { "name": "body.category", "type": "string", "value": "shot" },
      { "name": "mask", "type": "string", "value": "hero, foe" } ] } ] } ] }
END
  sed -i '0,/"transform": {}$/s//&, "tilemap": { "map": "room.tmj" }/; s/"mask": 0/"mask": "all"/' drawn/scenes/yard.json
  run_for 20 "$release" sql drawn "SELECT value, category, mask FROM body JOIN name USING (entity)" --ticks 2
  says out "w             4           3" "b             8  4294967295"
  sed -i 's/"hero, foe"/"hero, fo"/' drawn/assets/room.tmj
  sed -i 's/\["hero"/["hreo"/' drawn/scenes/yard.json
  run_for 20 "$release" run drawn --headless --ticks 2
  says err 'scenes/yard.json:7: entity 1: mask: unknown layer "hreo": did you mean hero?'
  sed -i 's/hreo/hero/' drawn/scenes/yard.json
  run_for 20 "$release" run drawn --headless --ticks 2
  says err 'room.tmj: object 1 "w": skipped body.mask: mask: unknown layer "fo": did you mean foe?'
}
it "scenes and properties of map objects can contain collision layers by name" scenes_and_maps_with_layers
