-- A room is a tilemap with the room's objects as children. All rooms have the same position; all rooms but the current
-- one are disabled, so they are not drawn, and collisions and systems skip them. A room keeps its state until the hero
-- returns.
local M = {}

local function switch(room, on)
  local how = on and "enable" or "disable"
  for _, e in ipairs(room:children()) do e[how](e) end
  room[how](room)
end

function M.show(name)
  local play, room = world.single.play, world.find(name)
  if play.room:alive() and play.room ~= room then switch(play.room, false) end
  if room and room:alive() then
    switch(room, true)
  else
    room = world.spawn("room", { name = name, tilemap = { map = name .. ".tmj" } })
  end
  play.room = room
end

function M.name()
  local room = world.single.play.room
  return room:alive() and room:has "name" and room:name() or "yard"
end

-- Centres the view on x, y as far as possible without showing anything outside the room.
function M.look_at(x, y)
  local eye, size = world.find("eye") --[[@as shoal.Entity]], world.tiles(world.single.play.room):size()
  local wide, high = size.columns * size.tile_width, size.rows * size.tile_height
  eye.follow.right, eye.follow.bottom = wide, high
  eye.transform.x = math.max(160, math.min(wide - 160, x))
  eye.transform.y = math.max(90, math.min(high - 90, y))
end

return M
