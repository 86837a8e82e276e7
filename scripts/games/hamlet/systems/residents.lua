-- Gives each player in the room a hero and a bag. In a served world, the bag arrives and leaves with its player; each
-- room spawns a new hero.
local people = require "lib.people"

local function add_hero(number)
  local spot = world.query({ "arrival", "transform" }).entity[1]
  if not spot then return end -- the scene is opened in the next tick
  local play, x, y = world.single.play, spot.transform.x, spot.transform.y
  local hero = world.spawn("hero", {
    transform = { x = x + (number - 1) % 4 * 12 - 18, y = y + math.floor((number - 1) / 4) % 2 * 8 },
    hero = { player = number, bag = people.find_bag(number) },
    sprite = { image = "hero_" .. (number - 1) % 8 + 1 .. ".png" },
    walk = { y = play.place == "mine" and -1 or 1 },
  })
  if play.place == "mine" then hero.light.intensity = 0.85 end
  if play.phase == "demo" then hero:add("pilot") end
  world.emit("arrived", { hero = hero })
end

return {
  phase = "pre_update",
  update = function()
    local phase = world.single.play.phase
    if phase ~= "playing" and phase ~= "demo" then return end
    for _, player in ipairs(players.list()) do
      if not people.find_hero(player.number) and (phase == "playing" or player.number == 1) then
        add_hero(player.number)
      end
    end
  end,
  on = {
    player_left = function(ev)
      for i = 1, ev.count do
        local hero = people.find_hero(ev.player[i])
        if hero then
          if hero.hero.bag:alive() then hero.hero.bag:destroy() end -- if served, the bag has left with its player
          hero:destroy()
        end
      end
    end,
  },
}
