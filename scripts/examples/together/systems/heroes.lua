-- Gives each player a hero (player 1 gets the map's hero), and removes the heroes of players who have left.
return {
  update = function()
    local heroes, unused = {}, nil
    for hero in world.each("hero") do
      if hero.hero.player == 0 then unused = hero else heroes[hero.hero.player] = hero end
    end
    for _, player in ipairs(players.list()) do
      if not heroes[player.number] then
        local hero = unused or world.spawn("hero", { transform = { x = 112 + 24 * player.number, y = 88 } })
        local colour = player.colour
        hero.hero.player = player.number
        hero.sprite.tint = { (1 + colour.r) / 2, (1 + colour.g) / 2, (1 + colour.b) / 2, 1 }
        unused = nil
      end
    end
  end,
  on = {
    player_left = function(ev)
      for hero in world.each("hero") do
        for i = 1, ev.count do
          if hero.hero.player == ev.player[i] then hero:destroy() end
        end
      end
    end,
  },
}
