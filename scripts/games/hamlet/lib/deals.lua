-- Deals between two heroes. Each hero's part is the hero's component `deal`.
local M = {}
M.GOODS = { "ore", "gold", "coins" }

-- Returns true if both heroes want to trade with each other.
function M.is_open(hero)
  if not hero:has "deal" then return false end
  local other = hero.deal.with
  return other:alive() and other:has "deal" and other.deal.with == hero
end

-- Returns true if the hero's bag contains what the hero offers.
function M.can_pay(hero)
  local bag, deal = hero.hero.bag, hero.deal
  if not bag:alive() then return false end
  for _, good in ipairs(M.GOODS) do
    if deal[good] < 0 or deal[good] > bag.bag[good] then return false end
  end
  return true
end

-- Exchanges the offers of both heroes in one step.
function M.exchange(a, b)
  local from, to = a.hero.bag.bag, b.hero.bag.bag
  for _, good in ipairs(M.GOODS) do
    local gain = b.deal[good] - a.deal[good]
    from[good], to[good] = from[good] + gain, to[good] - gain
  end
end

return M
