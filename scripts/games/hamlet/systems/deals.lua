-- Two heroes trade: each player uses the hero of the other player, sets an offer, and agrees. A change of an offer
-- withdraws both agreements. A deal ends if a player cancels it, or a hero goes away or leaves.
local deals, people = require "lib.deals", require "lib.people"
local FAR = 30 -- distance at which a deal ends, in pixels

local function step_of(value) return value > 0.5 and 1 or value < -0.5 and -1 or 0 end

local function is_far(a, b)
  return math.abs(a.transform.x - b.transform.x) + math.abs(a.transform.y - b.transform.y) > FAR
end

-- Changes a hero's offer by the hero's intent.
local function negotiate(e, other)
  local deal, intent, bag = e.deal, e.intent, e.hero.bag.bag
  local x, y = step_of(intent.x), step_of(intent.y)
  if y ~= deal.step_y and y ~= 0 then deal.row = (deal.row - 1 + y) % #deals.GOODS + 1 end
  if x ~= deal.step_x and x ~= 0 then
    local good = deals.GOODS[deal.row]
    deal[good] = math.max(0, math.min(bag[good], deal[good] + x))
    deal.agreed, other.deal.agreed = false, false
  end
  deal.step_x, deal.step_y = x, y
  if intent.use then deal.agreed = not deal.agreed end
end

local function report(e, other)
  local deal, player = e.deal, people.find_player(other.hero.player)
  world.emit("trade", { player = e.hero.player, buyer = player and player.name or "", ore = deal.ore, gold = deal.gold,
    coins = deal.coins })
  people.show_popup(e, "@deal.done")
end

-- Ends a hero's part of a deal. The component is removed after the system has run, so `with` is cleared immediately.
local function leave(e)
  e.deal.with = shoal.none
  e:remove "deal"
end

local function close(e, other)
  if deals.can_pay(e) and deals.can_pay(other) then
    deals.exchange(e, other)
    report(e, other)
    report(other, e)
    audio.play("coins.wav", { volume = 0.6 })
  end
  leave(e)
  leave(other)
end

local function request(hero, other)
  if hero:has "deal" and hero.deal.with == other then return end
  hero:add("deal", { with = other })
end

return {
  after = { "uses" },
  query = { "deal", "hero", "intent", "transform" },
  each = function(e, dt)
    local deal, other = e.deal, e.deal.with
    if not other:alive() or is_far(e, other) or e.intent.back then
      if deals.is_open(e) then leave(other) end
      leave(e)
    elseif deals.is_open(e) then
      negotiate(e, other)
      if deal.agreed and other.deal.agreed then close(e, other) end
    else
      deal.left = deal.left - dt
      if deal.left <= 0 then leave(e) end
    end
  end,
  on = {
    used = function(ev)
      for i = 1, ev.count do
        local hero, other = ev.hero[i], ev.object[i]
        if hero:alive() and other:alive() and other:has "hero" then request(hero, other) end
      end
    end,
  },
}
