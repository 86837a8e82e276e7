-- The AI: steers towards open space and ahead of the nearest rival, and along walls when it is enclosed. Its reaction
-- time depends on the difficulty. At an easy difficulty, it does not see a wall that appears just before it. Its
-- look-ahead and aggression also grow with the player's level.
local grid, looks = require "lib.grid", assets.json "looks.json"

local LEAD = 12 -- number of cells ahead of a rival to which the AI steers, to cut off the rival

-- If the target is nearer than min_distance, returns its cell, or a cell ahead of it if it moves in direction `dir`,
-- and its distance. Otherwise returns x, y, min_distance.
local function choose_nearer(self, target, dir, x, y, min_distance)
  local distance = math.abs(target.x - self.x) + math.abs(target.y - self.y)
  if distance >= min_distance then return x, y, min_distance end
  if not dir then return target.x, target.y, distance end
  return target.x + grid.dx[dir] * LEAD, target.y + grid.dy[dir] * LEAD, distance
end
-- Returns the cell to steer towards: the nearest gem or a cell ahead of the nearest rival, whichever is nearer.
local function find_goal(self)
  local x, y, min_distance = self.x, self.y, math.huge
  for e in world.each("cycle") do
    if e.cycle.side ~= self.side then
      x, y, min_distance = choose_nearer(self, e.cycle, e.cycle.dir, x, y, min_distance)
    end
  end
  for e in world.each("gem") do x, y, min_distance = choose_nearer(self, e.gem, nil, x, y, min_distance) end
  return x, y
end
local function decide(self, cells, skill, difficulty)
  local key, best, max_worth, max_free_count = grid.key(self.x, self.y), self.dir, -math.huge,
    math.floor(skill.room * difficulty)
  local goal_x, goal_y = find_goal(self)
  for _, dir in ipairs(grid.ways(self.dir)) do
    local neighbour = key + grid.step[dir]
    local free_count = grid.count_free_cells(cells, neighbour, max_free_count)
    local ahead = grid.count_free_cells(cells, neighbour, 14, dir)
    local worth = free_count * 4 + (dir == self.dir and 6 or 0) + world.random() * skill.noise
    local x, y = self.x + grid.dx[dir] * 5, self.y + grid.dy[dir] * 5
    if free_count == max_free_count then worth =
      worth + ahead * 3 - (math.abs(goal_x - x) + math.abs(goal_y - y)) * skill.hunt * difficulty end
    for side = 1, free_count < max_free_count and 4 or 0 do
      worth = worth + (cells[neighbour + grid.step[side]] ~= 0 and 3 or 0)
    end
    if worth > max_worth and (free_count > 0 or dir == self.dir) then best, max_worth = dir, worth end
  end
  local free_cells = grid.count_free_cells(cells, key + grid.step[best], 20, best)
  self.turn, self.wait = best ~= self.dir and best or 0, math.min(skill.wait, free_cells)
  self.boost = self.energy > 0.35 and free_cells == 20 and world.random() < 0.3
end

return {
  phase = "pre_update",
  when = { match = { phase = "play" } },
  query = { "cycle" },
  update = function(q)
    local match, cells = world.single.match, nil
    local skill = looks.skill[match.players == 0 and "normal" or settings.rivals]
    for i = 1, q.count do
      local self = q.entity[i].cycle
      if self.player == 0 and self.turn == 0 then
        cells = cells or grid.build()
        local is_blocked = skill.alert and cells[grid.key(self.x, self.y) + grid.step[self.dir]] ~= 0
        if self.wait <= 0 or is_blocked then
          decide(self, cells, skill, match.players == 1 and math.min(2.5, 0.75 + 0.25 * match.round) or 1)
        end
      end
    end
  end,
}
