-- The rooms as plans of letters, and the objects in them, exported as Tiled maps and a tileset. Edit them here:
-- assets/generate.lua overwrites changes that are made in Tiled.
--
-- Legend:
-- # wall
-- % stone wall (in the yard)
-- . floor
-- , grass
-- : path or carpet
-- ~ water
-- = bridge
local canvas, tiles = require "canvas", require "tiles"

local M = {}

M.plans = {
  yard = { outside = true, [[
##########################
##########################
########%%%%%%%%%%########
########%%%%%%%%%%########
####,,,,%%%%%%%%%%,,,#####
###,,,,,%%%%%%%%%%,,,,####
##,,,,,,,,,,::,,,,,,,,,###
##,,,,,,,,,,::,,,,,,,,,,##
##,,,,,,,,,,::,,,,,,,,,,##
###,,,,,,,,,::,,,,,~~,,,##
###,,,,,,,,,::,,,,~~~~,,##
##,,,,,,,,,,::,,,,~~~~,,##
##,,,,::::::::,,,,,~~,,,##
##,,,,::::::::,,,,,,,,,###
###,,,::,,,,,,,,,,,,,,####
####,,::,,,,,,,,,,,,,#####
#####,,,,,,,###,,,########
##########################
##########################]] },
  hall = { [[
########################
########################
########################
########################
####........::......####
####........::......####
###.........::.......###
###.........::.......###
###.........::.......###
###.........::..........
###.........::..........
###.........::.......###
###.........::.......###
###.........::.......###
####........::......####
##########..::..########
##########..::..########
##########..::..########]] },
  ossuary = { [[
##########################
##########################
##########################
####..............########
####..............########
####..####..####..########
####..####..####.....#####
......####..####.......###
.........................#
####.....................#
####..####..####.......###
####..####..####.....#####
####..####..####..########
####..............########
####..............########
##########################
##########################]] },
  cistern = { [[
############################
############################
############################
####....................####
####....................####
####..~~~~~~~~~~~~~~~~..####
####..~~~~~~~~~~~~~~~~..####
####..~~~~......~~~~~~..####
####..~~~~......======..####
####..~~~~......======..####
####..~~~~......~~~~~~..####
####..~~~~~~~~~~~~~~~~..####
####..~~~~~~~~~~~~~~~~..####
####....................####
####....................####
##########........##########
############....############
############....############
############....############]] },
  throne = { [[
########################
########################
########################
####.......::.......####
###........::........###
###........::........###
###........::........###
###........::........###
###........::........###
###........::........###
###........::........###
###........::........###
###........::........###
####.......::.......####
###########::###########
###########::###########
###########::###########]] },
}

-- Returns an object of a room. x, y: column and row of its cell, from 0; `more`: other fields of the object.
local function prop(class, x, y, more)
  local o = { class = class, x = x * 16, y = y * 16 }
  for key, value in pairs(more or {}) do o[key] = value end
  return o
end

-- Returns a rectangular object. x, y: its top left cell; width, height: in cells.
local function area(class, x, y, width, height, more)
  local o = prop(class, x, y, more)
  o.width, o.height = width * 16, height * 16
  return o
end

-- Returns an object with a path. `cells`: column and row of each point.
local function way(class, cells, more)
  local o = prop(class, cells[1], cells[2], more)
  o.line = {}
  for i = 1, #cells, 2 do
    o.line[#o.line + 1] = { x = (cells[i] - cells[1]) * 16, y = (cells[i + 1] - cells[2]) * 16 }
  end
  return o
end

local function exit(x, y, width, height, to) return area("exit", x, y, width, height, { says = { to = to } }) end
local function arrival(x, y, name) return prop("arrival", x, y, { name = name }) end

M.things = {
  yard = {
    prop("chapel_door", 13, 6), exit(12, 5.6, 2, 0.7, "hall.south"), arrival(13, 7.2, "yard.chapel"),
    arrival(7, 15, "yard.start"),
    prop("lamp", 9.5, 12, { name = "lamp" }), prop("keeper", 8.2, 12.3, { name = "keeper" }),
    prop("grave", 4.5, 7.5), prop("grave", 6.5, 7.5), prop("grave", 4.5, 10), prop("grave", 6.5, 10),
    prop("grave", 17.5, 7.5), prop("grave", 20.5, 7.5), prop("grave", 16.5, 14.8),
    prop("pot", 18.5, 5), prop("pot", 4.6, 5.4), prop("pot", 9.6, 6.6), prop("pot", 16.6, 6.6),
    prop("slime", 16, 9), prop("slime", 20, 13.5), prop("slime", 5, 8.7),
  },
  hall = {
    exit(10, 17.4, 6, 0.8, "yard.chapel"), arrival(13, 16.2, "hall.south"),
    prop("great_door", 13, 4, { name = "great door" }), exit(12, 3.6, 2, 0.7, "throne.south"),
    arrival(13, 5.4, "hall.north"),
    prop("arch", 7, 4), prop("gate", 7, 4.1, { name = "gate" }), exit(6, 3.6, 2, 0.7, "cistern.south"),
    arrival(7, 5.4, "hall.west"),
    exit(23.4, 9, 0.8, 2, "ossuary.west"), arrival(22, 10.3, "hall.east"),
    prop("brazier", 4.7, 5), prop("brazier", 9.3, 5),
    prop("torch", 10.9, 5), prop("torch", 15.1, 5),
    prop("pillar", 6, 9), prop("pillar", 18, 7.5), prop("pillar", 6, 13.5), prop("pillar", 18, 13.5),
    prop("pot", 4.6, 12.6), prop("pot", 4.6, 13.6), prop("pot", 5.5, 14.4), prop("pot", 19.4, 5.2),
    prop("bat", 8, 9), prop("bat", 17, 10), prop("slime", 8, 7.5), prop("slime", 16.5, 6),
  },
  ossuary = {
    exit(-0.2, 7, 0.8, 3, "hall.east"), arrival(1.8, 8.7, "ossuary.west"),
    way("skeleton", { 5, 4.6, 17, 4.6 }), way("skeleton", { 17, 14.4, 5, 14.4 }),
    way("skeleton", { 10.9, 4.8, 10.9, 14.2 }),
    prop("bat", 14, 9), prop("chest", 22.5, 8.2, { says = { holds = "fireball" } }),
    prop("torch", 6.9, 8), prop("torch", 18, 6.6), prop("torch", 18, 11.6),
    prop("pot", 4.6, 4), prop("pot", 4.6, 14.8), prop("pot", 17.4, 14.8), prop("pot", 22.5, 10.6),
    prop("slime", 14, 8.5),
  },
  cistern = {
    exit(12, 18.4, 4, 0.8, "hall.west"), arrival(14, 17, "cistern.south"),
    prop("cloak", 14, 15), prop("torch", 8.5, 15.2), prop("torch", 19.5, 15.2),
    way("wisp", { 18, 13.2, 23.2, 13.2, 23.2, 14.6, 18, 14.6, 18, 13.2 }, { says = { ["path.loop"] = true } }),
    way("wisp", { 22.4, 12.6, 23.6, 12.6, 23.6, 4, 22.4, 4, 22.4, 12.6 }, { says = { ["path.loop"] = true } }),
    way("wisp", { 23.6, 4, 23.6, 12.6, 22.4, 12.6, 22.4, 4, 23.6, 4 }, { says = { ["path.loop"] = true } }),
    way("wisp", { 20.6, 8.4, 21.6, 9.6, 17, 9.6, 17, 8.4, 20.6, 8.4 }, { says = { ["path.loop"] = true } }),
    prop("bat", 8, 13.5), prop("bat", 6, 4), prop("slime", 5, 9), prop("slime", 14, 4),
    prop("chest", 11.4, 9, { says = { holds = "key" } }), prop("torch", 10.4, 8), prop("torch", 15.4, 7.9),
    prop("pot", 4.6, 4), prop("pot", 4.6, 14.4), prop("pot", 23.4, 3.8),
  },
  throne = {
    exit(11, 16.4, 2, 0.8, "hall.north"), arrival(12, 15, "throne.south"),
    prop("snuffer", 12, 5.6, { name = "Snuffer" }), prop("throne_gate", 12, 15.9, { name = "throne gate" }),
    prop("brazier", 5, 5), prop("brazier", 19, 5), prop("brazier", 5, 12.4), prop("brazier", 19, 12.4),
    prop("pot", 4.5, 13.4), prop("pot", 19.5, 13.4), prop("pot", 4.5, 8), prop("pot", 19.5, 8),
  },
}

-- --- conversion of plans to tiles

local function parse_plan(plan)
  local rows = {}
  for line in plan:gmatch "[^\n]+" do rows[#rows + 1] = line end
  local width = #rows[1]
  local function at(x, y) -- returns the letter at x, y or, outside the map, the letter of the nearest cell
    local row = rows[math.max(1, math.min(#rows, y + 1))]
    local i = math.max(1, math.min(width, x + 1))
    return row:sub(i, i)
  end
  return at, width, #rows
end

local function is_wall(letter) return letter == "#" or letter == "%" end

-- Returns a bit mask of the sides on which same(x, y) is false for the neighbouring cell: 1 top, 2 right, 4 bottom, 8
-- left.
local function mask_of(x, y, same)
  return (same(x, y - 1) and 0 or 1) + (same(x + 1, y) and 0 or 2) + (same(x, y + 1) and 0 or 4)
    + (same(x - 1, y) and 0 or 8)
end

local function create_layers(name)
  local plan, roll = M.plans[name], canvas.dice(#name * 77)
  local at, width, height = parse_plan(plan[1])
  local function stony(x, y) return at(x, y) == (plan.outside and "%" or "#") end
  local function face(x, y) -- 1: the wall cell directly above the floor; 2: the stone cell above it; nil: no face
    if not is_wall(at(x, y)) then return nil end
    if not is_wall(at(x, y + 1)) then return 1 end
    return stony(x, y) and not is_wall(at(x, y + 2)) and stony(x, y + 1) and 2 or nil
  end
  local ground, walls = {}, {}
  local function pick(base, count) return tiles.names[base .. (roll(count) + 1)] end
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local letter, down, up = at(x, y), 0, 0
      local common = roll(10)
      if letter == "~" then
        down = tiles.names[at(x, y - 1) == "~" and "water0" or "shore0"]
      elseif letter == "=" then
        down = tiles.names.bridge
      elseif letter == ":" then
        local mask = mask_of(x, y, function(i, j) return at(i, j) == ":" or is_wall(at(i, j)) end)
        down = tiles.names[(plan.outside and "lane" or "carpet") .. mask]
      elseif letter == "," or (plan.outside and not is_wall(letter)) then
        down = common < 7 and pick("grass", 2) or pick("grass", 6)
      elseif letter == "." then
        down = face(x, y - 1) and pick("shade", 2) or common < 7 and pick("floor", 3) or pick("floor", 6)
      elseif face(x, y) then
        if stony(x, y) then
          up = common < 8 and pick(face(x, y) == 1 and "lower" or "upper", 3)
            or tiles.names[face(x, y) == 1 and "lower4" or "upper4"]
        else
          up = pick("trunk", 4)
        end
      else
        local stone = stony(x, y)
        local mask = mask_of(x, y, function(i, j)
          return is_wall(at(i, j)) and not face(i, j) and stony(i, j) == stone
        end)
        up = tiles.names[(stone and "top" or "leaves") .. mask]
      end
      ground[#ground + 1], walls[#walls + 1] = down, up
    end
  end
  return ground, walls, width, height
end

-- --- JSON in the order and form in which Tiled writes it

local function encode_string(value) return '"' .. value:gsub('[\\"]', "\\%0") .. '"' end

local function encode_number(value) return (("%.2f"):format(value):gsub("%.?0+$", "")) end

local function encode_properties(says)
  local names, out = {}, {}
  for key in pairs(says or {}) do names[#names + 1] = key end
  table.sort(names)
  for i, key in ipairs(names) do
    local value = says[key]
    local kind = type(value) == "number" and "float" or type(value) == "boolean" and "bool" or "string"
    out[i] = ('{"name":%s,"type":"%s","value":%s}'):format(encode_string(key), kind,
      kind == "string" and encode_string(value) or kind == "bool" and tostring(value) or encode_number(value))
  end
  return #out > 0 and (', "properties":[' .. table.concat(out, ",") .. "]") or ""
end

local function encode_object(id, o)
  local form = ', "point":true, "width":0, "height":0'
  if o.line then
    local points = {}
    for i, p in ipairs(o.line) do points[i] = ('{"x":%s,"y":%s}'):format(encode_number(p.x), encode_number(p.y)) end
    form = ', "width":0, "height":0, "polyline":[' .. table.concat(points, ",") .. "]"
  elseif o.width then
    form = (', "width":%s, "height":%s'):format(encode_number(o.width), encode_number(o.height))
  end
  return ('   {"id":%d, "name":%s, "type":%s, "x":%s, "y":%s%s, "rotation":0, "visible":true%s}'):format(id,
    encode_string(o.name or ""), encode_string(o.class), encode_number(o.x), encode_number(o.y), form,
    encode_properties(o.says))
end

local function encode_tile_layer(id, name, cells, width, height)
  local rows = {}
  for y = 0, height - 1 do rows[#rows + 1] = "    " .. table.concat(cells, ",", y * width + 1, (y + 1) * width) end
  return ('  {"id":%d, "name":"%s", "type":"tilelayer", "x":0, "y":0, "width":%d, "height":%d, "opacity":1, '
    .. '"visible":true,\n   "data":[\n%s]}'):format(id, name, width, height, table.concat(rows, ",\n"))
end

-- Pictures that repeat around the rooms, where a wide or high window shows them, and their tiles.
M.surroundings = { thicket = "leaves0", rock = "top0" }

function M.map(name)
  local surroundings = M.plans[name].outside and "thicket" or "rock"
  local ground, walls, width, height = create_layers(name)
  local objects = {}
  for i, o in ipairs(M.things[name]) do objects[i] = encode_object(i, o) end
  return table.concat({
    ('{"type":"map", "version":"1.10", "tiledversion":"1.10.2", "orientation":"orthogonal",\n'
      .. ' "renderorder":"right-down",'
      .. ' "infinite":false, "compressionlevel":-1, "width":%d, "height":%d, "tilewidth":16, "tileheight":16,\n'
      .. ' "nextlayerid":5, "nextobjectid":%d,\n "tilesets":[{"firstgid":1, "source":"rooms.tsj"}],\n'
      .. ' "layers":['):format(width, height, #objects + 1),
    ('  {"id":4, "name":"surroundings", "type":"imagelayer", "image":"%s.png", "x":0, "y":0, "opacity":1,\n'
      .. '   "visible":true, "repeatx":true, "repeaty":true},'):format(surroundings),
    encode_tile_layer(1, "ground", ground, width, height) .. ",",
    encode_tile_layer(2, "walls", walls, width, height) .. ",",
    '  {"id":3, "name":"things", "type":"objectgroup", "draworder":"topdown", "x":0, "y":0,\n'
      .. '   "opacity":1, "visible":true,',
    '   "objects":[\n' .. table.concat(objects, ",\n") .. "]}]}", "",
  }, "\n")
end

function M.tileset()
  local out = {}
  for id = 1, tiles.count do
    local says, parts = tiles.solid[id], {}
    if says ~= nil then
      parts[1] = ('"properties":[{"name":"solid","type":"bool","value":%s}]'):format(tostring(says))
    end
    if tiles.frames[id] then
      local frames = {}
      for i, frame in ipairs(tiles.frames[id]) do frames[i] = ('{"duration":220,"tileid":%d}'):format(frame - 1) end
      table.insert(parts, 1, '"animation":[' .. table.concat(frames, ",") .. "]")
    end
    if #parts > 0 then out[#out + 1] = ('  {"id":%d, %s}'):format(id - 1, table.concat(parts, ", ")) end
  end
  return ('{"type":"tileset", "version":"1.10", "tiledversion":"1.10.2", "name":"rooms", "image":"rooms.png",\n'
    .. ' "imagewidth":%d, "imageheight":%d, "tilewidth":16, "tileheight":16, "columns":%d, "tilecount":%d,\n'
    .. ' "margin":0, "spacing":0,\n "tiles":[\n%s]}\n'):format(tiles.columns * 16, tiles.rows * 16, tiles.columns,
    tiles.columns * tiles.rows, table.concat(out, ",\n"))
end

return M
