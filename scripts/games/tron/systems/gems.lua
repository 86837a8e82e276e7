-- Gems, which cycles take when they pass. A `charge` fills the cycle's energy, a `breach` lets the cycle break through
-- one wall, a `purge` removes all walls of the cycle.
local grid, looks = require "lib.grid", assets.json "looks.json"
-- EVERY: seconds between gems; AT_ONCE: seconds between the first gems of a round; REACH: distance in cells at which a
-- cycle takes a gem
local EVERY, AT_ONCE, REACH = 3.2, 0.15, 2

-- Spawns a gem at a random position if the free area around it has at least 60 cells. Returns the seconds until the
-- next call: AT_ONCE while the first gems of a round appear, then EVERY, or 0.1 if no gem has been spawned.
local function place_gem(match)
  local x, y = world.random(6, looks.columns - 6), world.random(5, looks.rows - 5)
  local px, py = grid.place(x, y)
  if grid.count_free_cells(grid.build(), grid.key(x, y), 60) < 60 then return 0.1 end
  local kind = looks.kinds[world.random(#looks.kinds)]
  local e = world.spawn("gem", { transform = { x = px, y = py }, gem = { kind = kind, x = x, y = y },
    shape = { points = looks.shapes[kind], colour = looks.gems[kind] } })
  world.tween(e, "transform.scale_x", 1, 0.6, "elastic_out")
  match.gems = math.max(0, match.gems - 1)
  return match.gems > 0 and AT_ONCE or EVERY
end

local function remove_walls(side)
  for e in world.each("wall") do
    if e.wall.side == side and e.wall.solid then grid.fade(e) end
  end
end
local effects = { purge = function(cycle) remove_walls(cycle.side) end, charge = function(cycle) cycle.energy = 1 end,
  breach = function(cycle) cycle.breach = math.min(3, cycle.breach + 1) end }

return {
  after = "drive",
  when = { match = { phase = "play" } },
  query = { "cycle" },
  update = function(q, dt)
    local match = world.single.match
    match.gem_in = match.gem_in - dt
    if match.gem_in <= 0 then match.gem_in = place_gem(match) end
    for e in world.each("gem", "transform") do
      for i = 1, q.count do
        local cycle, gem = q.entity[i].cycle, e.gem
        if e:alive() and math.abs(gem.x - cycle.x) <= REACH and math.abs(gem.y - cycle.y) <= REACH then
          effects[gem.kind](cycle)
          world.emit("burst", { kind = gem.kind, side = cycle.side, x = e.transform.x, y = e.transform.y })
          e:destroy()
        end
      end
    end
  end,
  on = { burst = function(ev) -- removes the walls of a crashed cycle if the round continues
    for i = 1, ev.count do
      if ev.kind[i] == "crashed" and world.count("cycle") > 1 then remove_walls(ev.side[i]) end
    end
  end },
}
