-- System of a test that plays a run of RPG Battle and then quits: picks healers first, aims at the weakest enemy, steps
-- back from a giant that is about to stamp, and retreats when the team has less than 40 % of its health.
local cards, RANKS = assets.json "cards.json", { mage = 1, melee = 2, ranger = 3, flying_ranger = 4 }

local function pick_card(match)
  local min_rank, choice = math.huge, 1
  for i = 1, 3 do
    local card = cards[match["card" .. i]]
    local rank = RANKS[card.recruit] or card.field and 3 or 6
    if rank < min_rank then min_rank, choice = rank, i end
  end
  world.emit("card" .. choice)
end

local function fight(match)
  local points, max, weakest, giant = 0, 0, math.huge, nil
  local q = world.query { "unit", "health", without_disabled = false }
  for i = 1, q.count do
    local e = q.entity[i]
    if e.unit.side == 1 then
      points, max = points + e.health.points, max + e.health.max
    elseif e.health.points < weakest then
      weakest, match.focus = e.health.points, e
    end
    if e:has "stomp" then giant = e end
  end
  match.holds = giant ~= nil and giant.stomp.raised > 0
  if points < 0.4 * max and match.retreats > 0 then
    match.won, match.fled, match.retreats = false, true, 0
    world.emit("go", { to = "after" })
  end
end

return {
  phase = "input",
  after = "flow",
  update = function()
    local match, tick = world.single.match, world.tick
    if tick == 20 then world.emit "play" end
    if match.phase == "cards" and tick % 30 == 0 and match.clock > 0.2 then pick_card(match) end
    if match.phase == "battle" then fight(match) end
    if match.phase == "over" and match.clock > 0.1 then
      print("run", match.won and "won" or "lost", match.battle, tick, match.retreats)
      world.quit()
    end
  end,
}
