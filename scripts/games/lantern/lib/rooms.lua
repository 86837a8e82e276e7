-- A room is a scene: a tilemap with the room's objects as children. It is opened when the hero enters it for the first
-- time, and stays open until the next game begins, so it keeps its state. All rooms are at the same position. Every
-- room except the current one is disabled, so it is not drawn, and collisions and systems skip it.
local M = {}
local SCENES = { "yard", "hall", "cistern", "ossuary", "throne" }

local function switch(room, enabled)
  local method = enabled and "enable" or "disable"
  for _, e in ipairs(room:children()) do e[method](e) end
  room[method](room)
end

-- Makes a room the current room. A room that must be opened first becomes the current room in the next tick.
function M.show(name)
  local play, room = world.single.play, world.find(name)
  if play.room:alive() and play.room ~= room then switch(play.room, false) end
  if not room then return world.open(name) end
  switch(room, true)
  play.room = room
end

-- Closes all rooms, and opens the room in which a game begins.
function M.reset()
  for _, name in ipairs(SCENES) do
    if world.find(name) then world.close(name) end
  end
  world.single.play.room = shoal.none
  world.open("yard")
end

function M.name()
  local room = world.single.play.room
  return room:alive() and room:has "name" and room:name() or "yard"
end

-- Returns true once a room is open and its `start` has made it the current room.
function M.is_current(name)
  return world.single.play.room:alive() and M.name() == name
end

-- Centres the view on x, y as far as possible without showing anything outside the room.
function M.look_at(x, y)
  local eye, size = world.find("eye") --[[@as shoal.Entity]], world.tiles(world.single.play.room):size()
  local width, height = size.columns * size.tile_width, size.rows * size.tile_height
  eye.follow.right, eye.follow.bottom = width, height
  eye.transform.x = math.max(160, math.min(width - 160, x))
  eye.transform.y = math.max(90, math.min(height - 90, y))
end

return M
