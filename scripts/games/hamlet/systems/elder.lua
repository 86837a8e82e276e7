-- The elder remembers trades. In a served world, the chronicle keeps the event `trade` for 90 days. When a player comes
-- to town, the elder asks the chronicle about the player's latest trade.
local people = require "lib.people"
local LATEST = [[SELECT ore, gold, coins, buyer, (store_now() - at) / 86400.0 AS days FROM chronicle_trade
  WHERE account = $1 ORDER BY at DESC, tick DESC LIMIT 1]]

local function name_time(days)
  if days < 1 then return "@when.today" elseif days < 2 then return "@when.yesterday" end
  if days < 7 then return tr.key("when.days", { n = math.floor(days) }) end
  return days < 14 and "@when.last_week" or "@when.long_ago"
end

-- Returns a sentence about a trade: the goods that the player has sold, or the coins that the player has paid.
local function describe(trade)
  local good = trade.ore > 0 and "ore" or trade.gold > 0 and "gold" or "coins"
  local buyer = trade.buyer ~= "" and trade.buyer or "@folk.smith"
  return tr.key("elder." .. good, { n = trade[good], name = buyer, time = name_time(trade.days) })
end

local function find_elder()
  for e in world.each { "folk", "speech" } do
    if e.folk.name == "elder" then return e end
  end
end

local function answer(question)
  local rows = chronicle.rows(question)
  for hero in world.each { "hero", "memory" } do
    if hero.memory.question == question and rows and rows[1] then
      hero.memory.text = describe(rows[1])
      people.say(find_elder(), hero.memory.text)
    end
  end
  question:destroy()
end

return {
  scene = "town",
  after = { "deals", "smith" },
  on = {
    arrived = function(ev)
      for i = 1, world.room and ev.count or 0 do
        local player = people.find_player(ev.hero[i].hero.player)
        if player then ev.hero[i].memory.question = chronicle.ask(LATEST, player.account) end
      end
    end,
    answered = function(ev)
      for i = 1, ev.count do answer(ev.question[i]) end
    end,
    trade = function(ev)
      for i = 1, ev.count do
        local hero = people.find_hero(ev.player[i])
        if hero then
          hero.memory.text = describe { ore = ev.ore[i], gold = ev.gold[i], coins = ev.coins[i], buyer = ev.buyer[i],
            days = 0 }
        end
      end
    end,
    used = function(ev)
      for i = 1, ev.count do
        local e, hero = ev.object[i], ev.hero[i]
        if hero:alive() and e:has "folk" and e.folk.name == "elder" then
          people.say(e, hero.memory.text ~= "" and hero.memory.text or "@elder.advice")
        end
      end
    end,
  },
}
