-- Checks of the level editor (cockpit_levels.sh), in the game `burrow`. cockpit.lua passes its table of checks and its
-- helpers.
local checks, kit = ...
local equal, fail, read, write_file, check_problem = kit.equal, kit.fail, kit.read, kit.write_file, kit.check_problem
local MAP = "burrow/assets/burrow.tmj"

local function map_edit(...)
  return { what = "map", map = "burrow.tmj", edits = { ... } }
end

local function build_paint_edit(layer, name, ...)
  return { ["do"] = "paint", layer = layer, layer_name = name, cells = { ... } }
end

local function run_lua(c, text)
  return c:must("lua", { text = text }).result
end

-- Runs a Lua expression until it has this value: objects of an edited map are spawned in the next tick.
local function wait_until_lua(c, text, expected)
  local found
  kit.wait_until(function() return ("%s: expected %s, got %s"):format(text, expected, tostring(found)) end, function()
    found = run_lua(c, text)
    return found == expected
  end)
end

-- Replaces plain text. `text` must contain it exactly once.
local function replace(text, old, new)
  local first, last = text:find(old, 1, true)
  if not first or text:find(old, last + 1, true) then
    fail("%s is not contained exactly once", old)
  end
  return text:sub(1, first - 1) .. new .. text:sub(last + 1)
end

local function open_held()
  local c = kit.open()
  c:must("time", { action = "hold" })
  return c
end

function checks.painting()
  local c, before = open_held(), read(MAP)
  local solid = "world.tiles(world.find('burrow')):solid(%d, %d)"
  local ray = "world.ray(4, 8, 90, 8, 0, true) ~= nil"
  local way = "world.tiles(world.find('burrow')):way(1, 1, 6, 1) ~= nil"
  wait_until_lua(c, way, "false")
  equal("a ray along the wall", run_lua(c, ray), "true")
  local shown = c:must("propose", map_edit(build_paint_edit(0, "ground", { 3, 0, 1 })))
  equal("the file before it is written", read(MAP), before)
  equal("the diff", shown.files[1].diff, "--- a/assets/burrow.tmj\n+++ b/assets/burrow.tmj\n@@ -6,7 +6,7 @@\n"
    .. '       "tiles": [ { "id": 1, "properties": [ { "name": "solid", "type": "bool", "value": true } ] } ] } ],\n'
    .. '   "layers": [\n     { "id": 1, "name": "ground", "type": "tilelayer", "x": 0, "y": 0, "width": 6, '
    .. '"height": 4, "data": [\n-      1, 1, 1, 2, 1, 1,\n+      1, 1, 1, 1, 1, 1,\n       1, 1, 1, 2, 1, 1,\n'
    .. "       1, 1, 1, 2, 1, 1,\n       1, 1, 1, 2, 1, 1 ] },\n")
  local step = kit.apply(c, function() return map_edit(build_paint_edit(0, "ground", { 3, 0, 1 })) end).undo
  equal("the file", read(MAP), (before:gsub("1, 1, 1, 2, 1, 1", "1, 1, 1, 1, 1, 1", 1)))
  equal("the opened wall is solid", run_lua(c, solid:format(4, 1)), "false")
  equal("a ray through the wall", run_lua(c, ray), "false")
  equal("a way through the wall", run_lua(c, way), "true")
  c:must("undo", { step = step })
  equal("the file after the undo", read(MAP), before)
  equal("the wall after the undo", run_lua(c, solid:format(4, 1)), "true")
  equal("a way after the undo", run_lua(c, way), "false")
  run_lua(c, "world.quit()")
end

-- Checks a rectangle of flipped tiles, and a layer that is compressed.
function checks.packed_cells()
  local c, before = open_held(), read(MAP)
  kit.apply(c, function()
    local ground = build_paint_edit(0, "ground", { 0, 2, 2147483650, 3, 2 })
    return map_edit(ground, build_paint_edit(1, "roots", { 5, 3, 7 }))
  end)
  local after = read(MAP)
  equal("lines of the rectangle", select(2, after:gsub("2147483650, 2147483650, 2147483650, 2, 1, 1", "")), 2)
  equal("a root", run_lua(c, "world.tiles(world.find('burrow')):get('roots', 6, 4)"), "7\t0")
  local before_data, after_data = before:match '"data": "([^"]+)"', after:match '"data": "([^"]+)"'
  equal("all other text", replace(after, after_data, before_data):gsub("2147483650, 2147483650, 2147483650",
    "1, 1, 1"), (before))
  run_lua(c, "world.quit()")
end

-- Checks that an infinite map gets a new chunk in the encoding of its layer, and keeps all other chunks byte for byte.
function checks.infinite_maps()
  local c = open_held()
  local base64 = "AQAAAAAAAAAAAAAAAQAAAA==" -- 2 × 2 cells: 1, 0, 0, 1
  local before = ([[
{ "orientation": "orthogonal", "infinite": true, "tilewidth": 16, "tileheight": 16, "tilesets": [
    { "firstgid": 1, "name": "t", "tilewidth": 16, "tileheight": 16, "tilecount": 3, "columns": 1 } ],
  "layers": [
    { "type": "tilelayer", "name": "wild", "startx": 0, "starty": 0, "width": 2, "height": 2, "encoding": "base64",
      "chunks": [
        { "x": 0, "y": 0, "width": 2, "height": 2, "note": "kept", "data": "%s" }] } ] }
]]):format(base64)
  write_file("burrow/assets/wild.tmj", before)
  run_lua(c, "world.spawn(nil, { name = 'wild', transform = {}, tilemap = { map = 'wild.tmj' } })")
  local function get(x, y) return run_lua(c, ("world.tiles(world.find('wild')):get('wild', %d, %d)"):format(x, y)) end
  equal("a cell outside the chunk", get(-2, 1), "0\t0")
  kit.apply(c, function()
    return { what = "map", map = "wild.tmj", edits = { build_paint_edit(0, "wild", { -3, 0, 2 }, { 1, 1, 3 }) } }
  end)
  equal("the painted cell", get(-2, 1), "2\t0")
  equal("the painted cell of the first chunk", get(2, 2), "3\t0")
  local expected = replace(before, '"startx": 0', '"startx": -4')
  expected = replace(expected, '"starty": 0, "width": 2', '"starty": 0, "width": 6')
  expected = replace(expected, ('"data": "%s" }]'):format(base64), '"data": "AQAAAAAAAAAAAAAAAwAAAA==" },\n        '
    .. '{ "x": -4, "y": 0, "width": 2, "height": 2, "note": "kept", "data": "AAAAAAIAAAAAAAAAAAAAAA==" }]')
  equal("the file", read "burrow/assets/wild.tmj", expected)
  run_lua(c, "world.quit()")
end

function checks.objects()
  local c, before = open_held(), read(MAP)
  wait_until_lua(c, "world.find('gate') and world.find('gate').door.key", "brass")
  kit.apply(c, function()
    return map_edit({ ["do"] = "set", id = 1, object = { x = 24, properties = {
      key = { type = "string", value = "iron" }, open = { type = "bool", value = true } } } })
  end)
  local moved = replace(replace(before, '"type": "door", "x": 8,', '"type": "door", "x": 24,'),
    '"value": "brass" } ]', '"value": "iron" }, { "name": "open", "type": "bool", "value": true } ]')
  equal("the moved object", read(MAP), moved)
  wait_until_lua(c, "world.find('gate').transform.x", "24")
  equal("its key", run_lua(c, "world.find('gate').door.key"), "iron")
  equal("whether it is open", run_lua(c, "world.find('gate').door.open"), "true")
  local step = kit.apply(c, function()
    return map_edit({ ["do"] = "add", layer = 2, layer_name = "things",
      object = { name = "second gate", x = 40.5, y = 8 } })
  end).undo
  local added = read(MAP)
  local members = added:match '{ "id": 3, ([^\n]-) } %] } %] }' or fail("no object 3 in %s", added)
  equal("the members of the new object", #members, #'"name": "second gate", "x": 40.5, "y": 8')
  equal("the new object", added, replace(replace(moved, '"point": true } ] } ] }', '"point": true },\n      { "id": 3, '
    .. members .. " } ] } ] }"), '"nextobjectid": 3', '"nextobjectid": 4'))
  wait_until_lua(c, "world.find('second gate') ~= nil", "true")
  equal("its position", run_lua(c, "world.find('second gate').transform.x"), "40.5")
  c:must("undo", { step = step })
  equal("the file after the undo", read(MAP), moved)
  wait_until_lua(c, "world.find('second gate') ~= nil", "false")
  kit.apply(c, function() return map_edit({ ["do"] = "remove", id = 1 }) end)
  equal("the file without the gate", read(MAP), (moved:gsub('{ "id": 1, "name": "gate".-\n      ({ "id": 2)', "%1")))
  wait_until_lua(c, "world.find('gate') ~= nil", "false")
  run_lua(c, "world.quit()")
end

function checks.bad_edits()
  local c, before = open_held(), read(MAP)
  local function problem(message, edit, at)
    check_problem(c, at or "edits.0", message, map_edit(edit))
  end
  problem('burrow.tmj: layer 1 "ground": cell 6, 0 is outside the layer (columns 0 to 5, rows 0 to 3): enlarge',
    build_paint_edit(0, "ground", { 6, 0, 1 }))
  problem("unknown tile 161: the tiles of the map are 1 to 160", build_paint_edit(0, "ground", { 0, 0, 161 }))
  problem("a cell must be a tile number with flip bits, got -1", build_paint_edit(0, "ground", { 0, 0, -1 }))
  problem("each element of “cells” must be [column, row, cell]", build_paint_edit(0, "ground", { 0, 0 }))
  problem("too many cells", build_paint_edit(0, "ground", { 0, 0, 1, 100000, 100000 }))
  problem('layer 1 of burrow.tmj is not named "roots" any more', build_paint_edit(0, "roots", { 0, 0, 1 }))
  problem("layer 3 of burrow.tmj is not a tile layer", build_paint_edit(2, "things", { 0, 0, 1 }))
  problem("burrow.tmj has no layer 4", build_paint_edit(3, "", { 0, 0, 1 }))
  problem("burrow.tmj has no object 9", { ["do"] = "remove", id = 9 })
  problem("x must be a number", { ["do"] = "set", id = 1, object = { x = "far" } })
  problem("map objects have no member colour", { ["do"] = "set", id = 1, object = { colour = 1 } })
  problem("unknown edit erase", { ["do"] = "erase" })
  problem('"x" must be a number from -1e9 to 1e9', { ["do"] = "set", id = 1, object = { x = 1e12 } }, "edits")
  local function refused(message, map)
    c:refused(message, "propose", { what = "map", map = map, edits = { build_paint_edit(0, "ground", { 0, 0, 1 }) } })
  end
  refused("is not a map: expected the name of a .tmj file", "tiles.png")
  refused("burow.tmj", "burow.tmj")
  refused("outside", "../outside.tmj")
  os.execute "mkdir -p outside; cp burrow/assets/burrow.tmj outside/"
  os.execute "ln -s ../../outside/burrow.tmj burrow/assets/far.tmj"
  refused("leaves the game's folder", "far.tmj")
  c:refused("“edits” must be", "propose", { what = "map", map = "burrow.tmj" })
  equal("the file", read(MAP), before)
  run_lua(c, "world.quit()")
end

function checks.changed_files()
  local c, before = open_held(), read(MAP)
  local function wall() return map_edit(build_paint_edit(0, "ground", { 0, 0, 2 })) end
  local late = wall()
  late.stamp = c:must("propose", wall()).stamp
  local edited = before:gsub("2, 1, 1 %] }", "2, 2, 1 ] }")
  write_file(MAP, edited)
  c:refused("assets/burrow.tmj has changed since its diff was shown: check the new diff", "apply", late)
  equal("the file that an editor saved", read(MAP), edited)
  local step = kit.apply(c, wall).undo
  equal("both edits", read(MAP), (edited:gsub("1, 1, 1, 2", "2, 1, 1, 2", 1)))
  write_file(MAP, read(MAP) .. "\n")
  c:refused("cannot undo: assets/burrow.tmj has changed since it was written", "undo", { step = step })
  equal("the file after the refused undo", read(MAP), (edited:gsub("1, 1, 1, 2", "2, 1, 1, 2", 1)) .. "\n")
  write_file(MAP, before)
  os.execute("chmod a-w " .. MAP)
  local locked = wall()
  locked.stamp = c:must("propose", wall()).stamp
  c:refused("burrow.tmj is read-only: change the permissions of the file", "apply", locked)
  os.execute("chmod u+w " .. MAP)
  equal("the read-only file", read(MAP), before)
  write_file(MAP, "{ \"layers\": [ }")
  c:refused("burrow.tmj:1: invalid JSON", "propose", wall())
  run_lua(c, "world.quit()")
end

-- Checks that a painted wall stops a moving body, and that a placed object becomes an entity, in the game of
-- article_claims.sh; then undoes both.
function checks.level_design()
  local c = open_held()
  local cart = "world.each('speed')().transform.x"
  run_lua(c, "world.each('speed')().transform.x = 8")
  local function edit(...)
    local edits = { ... }
    return kit.apply(c, function() return { what = "map", map = "ditch.tmj", edits = edits } end).undo
  end
  local wall = edit(build_paint_edit(0, "walls", { 2, 0, 1 }))
  c:step(120)
  equal("the cart stops at the wall, which begins at 32", run_lua(c, cart), "28")
  local post = edit({ ["do"] = "add", layer = 1, layer_name = "things",
    object = { name = "signpost", type = "post", x = 20, y = 8, point = true } })
  c:step(1)
  equal("the placed post", run_lua(c, "world.find('signpost'):assemblage()"), "post")
  c:must("undo", { step = post })
  c:must("undo", { step = wall })
  c:step(120)
  equal("the cart drives on", tonumber(run_lua(c, cart)) > 50, true)
  equal("the post is gone", run_lua(c, "world.find('signpost') ~= nil"), "false")
  run_lua(c, "world.quit()")
end

-- --- scenes in Lua

local SCENE = "burrow/scenes/night.lua"

local function scene_edit(...)
  return { what = "scene", scene = "night", edits = { ... } }
end

local function set(entity, component, values, more)
  local out = more or {}
  out["do"], out.entity, out.component, out.values = "set", entity, component, values
  return out
end

-- Checks that the file of a scene is listed with its values, and that entities are moved, changed, added and removed
-- with minimal diffs.
function checks.scenes()
  local c, before = open_held(), read(SCENE)
  local listed = c:must("scene", { scene = "night" }).entities
  equal("entities", #listed, 3)
  equal("the name of the second", listed[2].name, "left")
  equal("its y, which its assemblage sets", listed[2].y, 40)
  equal("the y of the burrow", listed[1].y, 0)
  equal("the computed x", listed[3].x, nil)
  equal("its code", listed[3].components.transform.x.code, "near + 4")
  equal("the oil of the third", listed[3].components.lamp.oil.value, 2)
  local step = kit.apply(c, function()
    return scene_edit(set(1, "transform", { x = 32.5 }, { was = { name = "left", assemblage = "lamp" } }),
      set(2, "lamp", { oil = 7 }), set(1, "lamp", { oil = 3 }))
  end).undo
  local moved = replace(replace(before, "{ x = 24 } } },", "{ x = 32.5 }, lamp = { oil = 3 } } },"),
    "oil = 2", "oil = 7")
  equal("the file", read(SCENE), moved)
  c:must("undo", { step = step })
  equal("the file after the undo", read(SCENE), before)
  kit.apply(c, function()
    return scene_edit({ ["do"] = "add", entity = { assemblage = "lamp", components = { transform = { x = 5 } } } },
      { ["do"] = "remove", entity = 1 }, set(1, "lamp", { oil = kit.null }),
      { ["do"] = "set", entity = 1, members = { name = "two" } },
      { ["do"] = "set", entity = 2, members = { name = "third lamp" } })
  end)
  local _, first = before:find('burrow.tmj" } } },\n', 1, true)
  equal("the file with a new entity", read(SCENE), before:sub(1, first)
    .. '    { assemblage = "lamp", components = { transform = { x = near + 4, y = 8 }, lamp = {} }, '
    .. 'name = "two" },\n'
    .. '    { assemblage = "lamp", components = { transform = { x = 5 } }, name = "third lamp" },\n  },\n}\n')
  run_lua(c, "world.scene('night')")
  c:step(2)
  wait_until_lua(c, "world.find('third lamp') and world.find('third lamp').transform.x", "5")
  run_lua(c, "world.quit()")
end

-- Checks that changes to tables that code creates are refused with file and line.
function checks.bad_scenes()
  local c, before = open_held(), read(SCENE)
  local function problem(message, edit)
    check_problem(c, "edits.0", message, scene_edit(edit))
  end
  problem("scenes/night.lua:8: cannot change x, which code creates (near + 4): edit the file",
    set(2, "transform", { x = 3 }))
  problem("transform has no field xx: did you mean x?", set(1, "transform", { xx = 3 }))
  problem("unknown component lmap: did you mean lamp?", set(1, "lmap", { oil = 3 }))
  problem("lamp.oil must be a number", set(1, "lamp", { oil = "much" }))
  problem("unknown assemblage lmp: did you mean lamp?", { ["do"] = "add", entity = { assemblage = "lmp" } })
  problem("“entity” must be an index in the list of entities", { ["do"] = "remove", entity = 3 })
  problem("entity 2 of scenes/night.lua has changed: choose the entity again",
    { ["do"] = "remove", entity = 1, was = { name = "old lamp" } })
  c:refused("must be a scene name", "propose", { what = "scene", scene = "../night", edits = { { ["do"] = "add" } } })
  c:refused("file not found", "propose", { what = "scene", scene = "day", edits = { { ["do"] = "add" } } })
  local function with_source(text, message)
    write_file(SCENE, text)
    problem(message, { ["do"] = "remove", entity = 0 })
  end
  with_source("local list = {}\nfor i = 1, 3 do\n  list[i] = { assemblage = 'lamp' }\nend\n"
    .. "return { entities = list }\n",
    "scenes/night.lua:3: cannot change entities, which code creates (list[i]): edit the file")
  with_source("return {\n  entities = make_lamps(3),\n}\n",
    "scenes/night.lua:2: cannot change entities, which code creates")
  with_source("local lamp = { assemblage = 'lamp' }\nreturn { entities = { lamp } }\n",
    "scenes/night.lua:2: cannot change this entity, which code creates (lamp): edit the file")
  write_file(SCENE, before)
  local late = scene_edit(set(1, "lamp", { oil = 9 }))
  late.stamp = c:must("propose", scene_edit(set(1, "lamp", { oil = 9 }))).stamp
  write_file(SCENE, before .. "-- edited\n")
  c:refused("scenes/night.lua has changed since its diff was shown: check the new diff", "apply", late)
  equal("the file that an editor saved", read(SCENE), before .. "-- edited\n")
  run_lua(c, "world.quit()")
end
