local RANKS = { "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king" }

local function describe(e)
  return RANKS[e.card.rank] .. " of " .. e.card.suit
end

local function shuffle(deck)
  local seed = world.single.round.seed
  for i = #deck, 2, -1 do
    seed = seed * 75 % 65537
    local k = seed % i + 1
    deck[i], deck[k] = deck[k], deck[i]
  end
  world.single.round.seed = seed
end

local function count_pairs(hand)
  local count, last = 0, 0
  for _, e in ipairs(hand) do
    if e.card.rank == last then count = count + 1 end
    last = e.card.rank
  end
  return count
end

return {
  update = function()
    local deck, said = {}, {}
    for e in world.each("card") do deck[#deck + 1] = e end
    shuffle(deck)
    for player = 1, 8 do
      local hand, words = {}, {}
      for k = 1, 5 do
        local e = deck[(player - 1) * 5 + k]
        e.card.holder = player
        hand[k] = e
      end
      table.sort(hand, function(a, b)
        if a.card.rank ~= b.card.rank then return a.card.rank < b.card.rank end
        return a.card.suit < b.card.suit
      end)
      for k, e in ipairs(hand) do words[k] = describe(e) end
      if count_pairs(hand) > 1 then world.single.round.wins = world.single.round.wins + 1 end
      said[player] = ("player %d: %s"):format(player, table.concat(words, ", "))
    end
    world.single.round.said = said[world.tick % 8 + 1]
  end,
}
