-- Room tiles: floors, walls that adapt to their neighbours, and water. A wall cell directly above a floor shows the
-- face of the wall; a stone wall's face is two cells high. Any other wall cell shows one of sixteen tops, one for each
-- set of sides at which the wall ends.
local canvas = require "canvas"

local M = { columns = 16, names = {}, solid = {}, frames = {} }
local SIZE = 16
local list = {}

local function add(name, c, solid, frames)
  list[#list + 1] = c
  M.names[name] = #list -- the tile's number in the tileset, from 1
  if solid ~= nil then M.solid[#list] = solid end
  if frames then M.frames[#list] = frames end
end

local function create_tile(letter) return canvas.new(SIZE, SIZE, letter) end

-- --- the floors of the crypt

local function draw_slabs(seed)
  local c, roll = create_tile "v", canvas.dice(seed)
  local joint = 6 + roll(5)
  c:rect(0, 7, 16, 1, "n")
  c:rect(0, 15, 16, 1, "n")
  c:rect(joint, 0, 1, 7, "n")
  c:rect((joint + 8) % 16, 8, 1, 7, "n")
  for _ = 1, 5 do
    local x, y = roll(15), roll(14)
    if c:get(x, y) == "v" and c:get(x + 1, y) == "v" then c:rect(x, y, 1 + roll(2), 1, roll(3) == 0 and "s" or "n") end
  end
  for x = 0, 15 do -- highlights some pixels of the stones' upper edges
    if roll(4) == 0 and c:get(x, 8) == "v" then c:set(x, 8, "s") end
    if roll(4) == 0 and c:get(x, 0) == "v" then c:set(x, 0, "s") end
  end
  return c, roll
end

local function draw_crack(c, roll)
  local x, y = 3 + roll(8), 2
  for _ = 1, 9 do
    c:set(x, y, "k")
    x, y = x + roll(3) - 1, y + 1
  end
end

for i = 1, 4 do add("floor" .. i, (draw_slabs(i * 17))) end
do
  local c, roll = draw_slabs(91)
  draw_crack(c, roll)
  add("floor5", c)
  c = draw_slabs(35)
  c:draw("..f..\n.flf.\nf.f..", 5, 9)
  c:draw(".f.\nfl.", 1, 2)
  add("floor6", c)
end
for i = 1, 2 do -- adds floor tiles for the shadow of the wall above
  local c = draw_slabs(120 + i)
  c:rect(0, 0, 16, 3, "n")
  for x = 0, 15 do
    if x % 2 == 0 then c:set(x, 3, "n") end
    if x % 4 == 1 then c:set(x, 4, "n") end
  end
  add("shade" .. i, c)
end

-- --- the yard, and all walls

local function draw_grass(seed, tufts)
  local c, roll = create_tile "f", canvas.dice(seed)
  for _ = 1, 7 do
    local x, y = roll(16), roll(16)
    c:set(x, y, "t")
    c:set(x + 1, y, "t")
  end
  for _ = 1, tufts do
    local x, y = roll(14), 2 + roll(13)
    c:draw("l.l\n.l.", x, y)
    c:draw("t", x + 1, y + 2)
  end
  return c, roll
end

for i = 1, 4 do add("grass" .. i, (draw_grass(i * 29, i < 3 and 1 or 3))) end
do
  local c = draw_grass(501, 2)
  c:draw(".w.\nwyw\n.w.", 3, 4)
  c:draw(".w.\nwyw\n.w.", 10, 9)
  add("grass5", c)
  c = draw_grass(502, 2)
  c:draw(".r.\nrer\n.t.", 9, 3)
  c:draw(".r.\nrer\n.t.", 4, 10)
  add("grass6", c)
end
for i = 1, 2 do
  local c, roll = create_tile "b", canvas.dice(600 + i)
  for _ = 1, 9 do c:rect(roll(14), roll(15), 2 + roll(2), 1, roll(3) == 0 and "d" or "o") end
  c:draw("kk\nss", roll(12), roll(12), { k = "s", s = "d" })
  add("path" .. i, c)
end

-- Returns true if the area ends at the side `bit`: 1 top, 2 right, 4 bottom, 8 left. Each kind of area has sixteen
-- tiles, one for each combination of sides (`mask`).
local function ends_at(mask, bit) return math.floor(mask / bit) % 2 == 1 end

local function draw_edge(c, mask, depth, paint)
  for y = 0, 15 do
    for x = 0, 15 do
      local distance = 99
      if ends_at(mask, 1) then distance = math.min(distance, y) end
      if ends_at(mask, 2) then distance = math.min(distance, 15 - x) end
      if ends_at(mask, 4) then distance = math.min(distance, 15 - y) end
      if ends_at(mask, 8) then distance = math.min(distance, x) end
      if distance < depth then
        local letter = paint(distance, x, y)
        if letter then c:set(x, y, letter) end
      end
    end
  end
end

for mask = 0, 15 do -- adds the tiles of a path whose edges are overgrown with grass
  local c = M.names.path1 and canvas.new(SIZE, SIZE):paste(list[M.names["path" .. (mask % 2 + 1)]], 0, 0)
  local green = draw_grass(700 + mask, 1)
  draw_edge(c, mask, 3, function(d, x, y)
    local ragged = (x * 7 + y * 5) % 3
    if d < 1 + ragged * 0.7 then return green:get(x, y) elseif d < 2 + ragged * 0.6 then return "d" end
  end)
  add("lane" .. mask, c)
end

for mask = 0, 15 do
  local c, roll = create_tile "n", canvas.dice(mask * 13 + 5)
  for _ = 1, 3 do c:rect(roll(14), roll(16), 2, 1, "k") end
  draw_edge(c, mask, 4, function(d) return d == 0 and "s" or d == 1 and "v" or d == 3 and "k" or nil end)
  add("top" .. mask, c, true)
end

local function draw_bricks(seed, upper)
  local c, roll = create_tile "s", canvas.dice(seed)
  for row = 0, 3 do
    local y = row * 4
    c:rect(0, y + 3, 16, 1, "n")
    local joint = row % 2 == 0 and 3 or 7
    c:rect(joint, y, 1, 3, "n")
    c:rect((joint + 8) % 16, y, 1, 3, "n")
    for x = 0, 15 do
      if c:get(x, y) == "s" and roll(3) > 0 then c:set(x, y, "g") end
      if c:get(x, y + 2) == "s" and roll(2) > 0 then c:set(x, y + 2, "v") end
    end
    if roll(3) == 0 then c:rect((joint + 1) % 16, y, 6, 3, "v") end
  end
  if upper then
    c:rect(0, 0, 16, 1, "k")
    c:rect(0, 1, 16, 1, "v")
  else
    c:rect(0, 13, 16, 2, "v")
    c:rect(0, 15, 16, 1, "k")
  end
  return c
end

for i = 1, 3 do add("upper" .. i, draw_bricks(i * 31, true), true) end
for i = 1, 3 do add("lower" .. i, draw_bricks(i * 37 + 3), true) end
do
  local c = draw_bricks(77, true)
  c:draw("f.f\nlff\n.fl\n.f.\n.l.", 4, 2)
  c:draw(".f\nff\nf.", 11, 2)
  add("upper4", c, true)
  c = draw_bricks(78)
  c:draw("kkkkkk\nknnnnk\nknwnnk\nkwwwnk\nkwnwnk\nkkkkkk", 5, 4)
  add("lower4", c, true)
end

for mask = 0, 15 do
  local c, roll = create_tile "t", canvas.dice(mask * 19 + 3)
  for _ = 1, 9 do
    local x, y = roll(15), roll(15)
    c:draw(roll(2) == 0 and ".ff\nf.f" or "ff.\n.ff", x, y)
  end
  for _ = 1, 2 do c:draw("kk", roll(15), roll(16)) end
  draw_edge(c, mask, 5, function(d, x, y)
    local ragged = (x * 5 + y * 3) % 4
    if d == 0 then return ragged == 0 and "k" or "f" elseif d <= 1 then return ragged < 2 and "l" or "f" end
    return d < 4 and ragged == 1 and "f" or nil
  end)
  add("leaves" .. mask, c, true)
end
for i = 1, 4 do
  local c, roll = create_tile "k", canvas.dice(i * 43)
  for k = 0, 1 do
    local x = 1 + k * 8 + roll(3)
    c:rect(x, 0, 4, 16, "b")
    c:rect(x, 0, 1, 16, "o")
    c:rect(x + 3, 0, 1, 16, "d")
    c:set(x + 1 + roll(2), 8 + roll(5), "d")
    c:rect(x - 1, 14, 6, 2, "b")
  end
  for x = 0, 15 do
    local hang = 4 + roll(4)
    c:rect(x, 0, 1, hang, "t")
    c:set(x, hang - 1 - roll(2), "f")
    c:set(x, hang, "k")
    if roll(3) == 0 then c:set(x, 15, "f") end
    if roll(4) == 0 then c:set(x, roll(4), "l") end
  end
  add("trunk" .. i, c, true)
end

-- --- water, bridges and carpets

local function draw_water(frame, shore)
  local c, roll = create_tile "t", canvas.dice(333)
  for _ = 1, 6 do
    local x, y = roll(16), roll(16)
    for k = 0, 3 do c:set((x + k + frame) % 16, y, k == 1 and frame % 2 == 0 and "c" or "s") end
  end
  if shore then
    c:rect(0, 0, 16, 5, "n")
    c:rect(0, 0, 16, 1, "k")
    for x = 0, 15 do
      if (x + frame) % 5 > 1 then c:set(x, 5, "c") else c:set(x, 6, "s") end
      if x % 8 == 3 then c:rect(x, 1, 1, 4, "k") end
    end
  end
  return c
end

for _, kind in ipairs { "water", "shore" } do
  local first_tile = #list + 1
  for frame = 0, 3 do
    add(kind .. frame, draw_water(frame, kind == "shore"), true,
      frame == 0 and { first_tile, first_tile + 1, first_tile + 2, first_tile + 3 } or nil)
  end
end
do
  local c = create_tile "b"
  for y = 0, 15, 4 do
    c:rect(0, y, 16, 1, "o")
    c:rect(0, y + 3, 16, 1, "d")
  end
  c:rect(0, 0, 1, 16, "d")
  c:rect(15, 0, 1, 16, "d")
  c:draw("k", 2, 1):draw("k", 13, 1):draw("k", 2, 9):draw("k", 13, 9)
  add("bridge", c, false)
end
for mask = 0, 15 do
  local c = create_tile "r"
  for y = 0, 15 do for x = 0, 15 do if (x + y) % 8 == 0 or (x - y) % 8 == 0 then c:set(x, y, "d") end end end
  draw_edge(c, mask, 3, function(d) return d == 0 and "d" or d == 1 and "e" or d == 2 and "o" or nil end)
  add("carpet" .. mask, c)
end
add("black", create_tile "k", true)

M.count = #list
M.rows = math.ceil(#list / M.columns)

-- Returns the picture of one tile, for image layers.
function M.picture_of(name) return list[M.names[name]] end

function M.picture()
  local c = canvas.new(M.columns * SIZE, M.rows * SIZE)
  for i, t in ipairs(list) do c:paste(t, (i - 1) % M.columns * SIZE, math.floor((i - 1) / M.columns) * SIZE) end
  return c
end

return M
