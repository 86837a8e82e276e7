-- Flocking: cohesion, alignment and separation. Each fish is updated every second tick. Neighbouring cells of a grid
-- row are contiguous in the sorted columns, so the loop reads three cells as one range. In crowded cells, it reads only
-- every n-th fish.
local sea = require "lib.sea"
local floor, max = math.floor, math.max
local COLUMNS = sea.COLUMNS
local MAX, TURNS = 8, 2

return {
  after = "grid",
  queries = { fish = { "fish", "transform", "velocity", "steer", "sorted" }, cells = { "cell" } },
  update = function(q)
    local x, y, vx, vy = q.fish.transform.x, q.fish.transform.y, q.fish.velocity.x, q.fish.velocity.y
    local sx, sy, svx, svy = q.fish.sorted.x, q.fish.sorted.y, q.fish.sorted.vx, q.fish.sorted.vy
    local steer_x, steer_y, cell, room = q.fish.steer.x, q.fish.steer.y, q.fish.fish.cell, q.fish.fish.room
    local first, count, cells = q.cells.cell.first, q.cells.cell.count, q.cells.count
    for i = 1 + world.tick % TURNS, q.fish.count, TURNS do
      local px, py, at = x[i], y[i], cell[i]
      local near = room[i] * room[i]
      local seen, mid_x, mid_y, way_x, way_y, off_x, off_y = 0, 0, 0, 0, 0, 0, 0
      for middle = at - COLUMNS, at + COLUMNS, COLUMNS do
        if middle > 1 and middle < cells then
          local from, behind = first[middle - 1], first[middle + 1] + count[middle + 1]
          local step = 1 + floor((behind - from) / MAX)
          -- Distant fish are not skipped: the branch would cost more than it saves.
          for k = from + i % step, behind - 1, step do
            local dx, dy = sx[k] - px, sy[k] - py
            local push = max(0, 1 - (dx * dx + dy * dy) / near) * step
            off_x, off_y = off_x - dx * push, off_y - dy * push
            mid_x, mid_y = mid_x + dx, mid_y + dy
            way_x, way_y = way_x + svx[k], way_y + svy[k]
            seen = seen + 1
          end
        end
      end
      local share = 1 / max(1, seen)
      steer_x[i] = mid_x * share * 1.6 + (way_x * share - vx[i]) * 2.2 + off_x * 9
      steer_y[i] = mid_y * share * 1.6 + (way_y * share - vy[i]) * 2.2 + off_y * 9
    end
  end,
}
