-- The smith buys ore and gold, and sells better picks.
local people = require "lib.people"
local ORE, GOLD, PICKS = 1, 5, { 12, 30 } -- prices of ore, gold and the two better picks, in coins

-- Sells all ore and gold of a hero's bag.
local function sell(smith, hero)
  local bag = hero.hero.bag.bag
  local ore, gold = bag.ore, bag.gold
  local price = ore * ORE + gold * GOLD
  bag.ore, bag.gold, bag.coins = 0, 0, bag.coins + price
  world.single.play.sold = world.single.play.sold + ore + gold
  world.emit("trade", { player = hero.hero.player, ore = ore, gold = gold })
  people.say(smith, tr.key("smith.pays", { n = price }))
  people.show_popup(hero, "+" .. price)
  audio.play("coins.wav", { volume = 0.6 })
end

local function upgrade(smith, hero)
  local bag, pick = hero.hero.bag.bag, hero.hero.bag:child("pick").pick
  local price = PICKS[pick.level]
  if not price then return people.say(smith, "@smith.best") end
  if bag.coins < price then return people.say(smith, tr.key("smith.price", { n = price })) end
  bag.coins, pick.level = bag.coins - price, pick.level + 1
  world.emit("trade", { player = hero.hero.player, coins = price })
  people.say(smith, "@smith.pick")
  people.show_popup(hero, "-" .. price)
  world.spawn("sparkle", { transform = { x = hero.transform.x, y = hero.transform.y - 12 } })
  audio.play("gift.wav", { volume = 0.6 })
end

return {
  after = { "uses" },
  on = {
    used = function(ev)
      for i = 1, ev.count do
        local hero, smith = ev.hero[i], ev.object[i]
        if hero:alive() and smith:has "folk" and smith.folk.name == "smith" then
          local bag = hero.hero.bag.bag
          if bag.ore + bag.gold > 0 then sell(smith, hero) else upgrade(smith, hero) end
        end
      end
    end,
  },
}
