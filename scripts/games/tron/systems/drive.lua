-- The rules: cycles move from cell to cell and turn each cell that they enter into a wall. A cycle that enters a wall
-- is out; so are cycles that enter the same cell in the same tick. Next to a wall, a cycle is faster and gains energy.
local grid = require "lib.grid"
-- SPEED, MAX: cells/s; FASTER: cells/s²; BOOST, CLOSE: speed factors with a boost and next to a wall
local SPEED, FASTER, BOOST, CLOSE, MAX = 25, 0.35, 1.7, 1.12, 58
-- GAIN: energy gained for each adjacent wall cell; DRAIN: energy used per second of boost
local GAIN, DRAIN = 0.022, 0.42

-- Removes all walls that contain the cell that `step` enters, at the cost of one breach. Returns false if the cycle has
-- no breach, or if the cell is outside the arena.
local function break_walls(cycle, cells, step)
  if cycle.breach == 0 or not cells[step.key] then return false end
  for e in world.each("wall") do
    local wall = e.wall
    local is_hit = (step.x - wall.x1) * (step.x - wall.x2) <= 0 and (step.y - wall.y1) * (step.y - wall.y2) <= 0
    if is_hit and wall.solid then grid.fade(e) end
  end
  cycle.breach = cycle.breach - 1
  world.emit("burst", { kind = "breached", side = cycle.side, x = step.e.transform.x, y = step.e.transform.y })
  return true
end

local function enter_cell(cycle, cells, step)
  if step.turned or not cycle.wall:alive() or not cycle.wall.wall.solid then
    cycle.wall = grid.wall(cycle.side, cycle.x, cycle.y, step.x, step.y)
  else
    cycle.wall.wall.x2, cycle.wall.wall.y2 = step.x, step.y
  end
  cycle.x, cycle.y, cycle.wait, cycle.beside = step.x, step.y, cycle.wait - 1, 0
  for i = 2, 3 do
    local side = grid.step[grid.ways(cycle.dir)[i]]
    if cells[step.key + side] ~= 0 then cycle.beside = cycle.beside + 1 end
  end
  cycle.energy = math.min(1, cycle.energy + GAIN * cycle.beside)
  if cycle.player == 1 then world.single.match.score = world.single.match.score + 1 + 4 * cycle.beside end
end

-- Moves the cycle towards the next cell. When the cycle reaches it, returns the step into that cell, otherwise nil.
local function advance(e, match, dt)
  local cycle, turned, dir, part = e.cycle, e.cycle.turn ~= 0, e.cycle.dir, e.cycle.part
  e.transform.x, e.transform.y = grid.place(cycle.x + grid.dx[dir] * part, cycle.y + grid.dy[dir] * part)
  e.transform.angle, e.sound.pitch = (dir - 1) * math.pi / 2, 0.55 + cycle.speed / 40
  e.emitter.enabled = cycle.beside > 0
  local is_boosting, level_speed = cycle.boost and cycle.energy > 0, match.players == 1
    and 0.6 * math.min(12, match.round) or 0
  local target_speed = (SPEED + level_speed + FASTER * match.clock) * (is_boosting and BOOST or 1) * (cycle.beside > 0
    and CLOSE or 1)
  cycle.speed = cycle.speed + (math.min(MAX, target_speed) - cycle.speed) * math.min(1, 6 * dt)
  cycle.energy = math.max(0, cycle.energy - (is_boosting and DRAIN * dt or 0))
  cycle.part = cycle.part + cycle.speed * dt
  if cycle.part < 1 then return end
  cycle.part = math.min(0.99, cycle.part - 1)
  if turned then
    cycle.dir, cycle.turn, cycle.after = cycle.turn, cycle.after, 0
    world.emit("burst", { kind = "turned", side = cycle.side, x = e.transform.x, y = e.transform.y })
  end
  local x, y = cycle.x + grid.dx[cycle.dir], cycle.y + grid.dy[cycle.dir]
  return { e = e, x = x, y = y, key = grid.key(x, y), turned = turned }
end

return {
  when = { match = { phase = "play", stop = 0 } },
  query = { "cycle", "transform" },
  update = function(q, dt)
    local match, cells, steps, step_counts = world.single.match, grid.build(), {}, {}
    for i = 1, q.count do
      local step = advance(q.entity[i], match, dt)
      if step then steps[#steps + 1], step_counts[step.key] = step, (step_counts[step.key] or 0) + 1 end
    end
    for _, step in ipairs(steps) do
      local e, cycle = step.e, step.e.cycle
      if step_counts[step.key] == 1 and (cells[step.key] == 0 or break_walls(cycle, cells, step)) then
        enter_cell(cycle, cells, step)
      else
        world.emit("burst", { kind = "crashed", side = cycle.side, x = e.transform.x, y = e.transform.y })
        e:destroy()
      end
    end
  end,
}
