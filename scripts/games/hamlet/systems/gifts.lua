-- Gifts from the operator: `./shoal world DB emit town gift '{"name": "Ada", "good": "gold", "amount": 3}'`.
local people = require "lib.people"

local function give(hero, good, amount)
  local bag = hero.hero.bag.bag
  bag[good] = math.max(0, bag[good] + amount)
  people.show_popup(hero, tr.key("gift." .. good, { n = amount }))
  world.spawn("sparkle", { transform = { x = hero.transform.x, y = hero.transform.y - 12 }, emitter = { burst = 20 } })
  audio.play("gift.wav", { volume = 0.6 })
end

return {
  after = { "deals" },
  on = {
    gift = function(ev)
      for i = 1, ev.count do
        local name = ev.name[i]:lower()
        for _, player in ipairs(players.list()) do
          local hero = people.find_hero(player.number)
          if hero and (name == "" or name == player.name:lower()) then give(hero, ev.good[i], ev.amount[i]) end
        end
      end
    end,
  },
}
