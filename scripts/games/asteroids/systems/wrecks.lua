-- After `wreck.left` seconds, a wreck becomes the next ship as soon as the ship's position is clear, or LONGEST_WAIT
-- seconds later at the latest. Without reserve ships, the wreck waits until the other players earn one; the game ends
-- when no ship is left in flight.
local tuning = require "tuning"
local crew = require "lib.crew"

local LONGEST_WAIT = 5

-- Returns the position where the next ship can appear: its start or, in a game of several players, the safest position.
-- Returns nil if no position is safe.
local function choose_place(number, hazards, waited)
  local min_clearance = tuning.clear_radius * 0.6
  local x, y = crew.get_start(number)
  if crew.measure_clearance(hazards, x, y) >= min_clearance then return x, y end
  if #players.list() > 1 then x, y = crew.find_safest_place(hazards) end
  if waited > LONGEST_WAIT or crew.measure_clearance(hazards, x, y) >= min_clearance then return x, y end
end

local function end_game(wrecks)
  for i = 1, wrecks.count do wrecks.entity[i]:destroy() end
  world.emit("go", { to = world.single.game.phase == "demo" and "title" or "over" })
end

return {
  after = { "grace" },
  queries = { wrecks = { "ship", "wreck", "transform", "motion" }, flying = { "ship", "intent" },
    hazards = { "hazard", "transform", "motion" } },
  update = function(q, dt)
    local wrecks, score, waiting = q.wrecks, world.single.score, 0
    local wreck, player = wrecks.wreck, wrecks.ship.player
    for i = 1, wrecks.count do
      local e = wrecks.entity[i]
      wreck.left[i] = wreck.left[i] - dt
      if wreck.left[i] <= 0 then
        wreck.waited[i] = wreck.waited[i] + dt
        local x, y
        if score.lives <= 0 then waiting = waiting + 1
        else x, y = choose_place(player[i], q.hazards, wreck.waited[i]) end
        if x then
          score.lives = score.lives - 1
          e:enter("spawning")
          e.transform.x, e.transform.y = x, y
          crew.paint(e)
        end
      end
    end
    if wrecks.count > 0 and waiting == wrecks.count and q.flying.count == 0 then end_game(wrecks) end
  end,
}
