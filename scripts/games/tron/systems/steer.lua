-- Sets the queued turns and the boost from the players' input. The queue holds two turns, so that a quick U-turn is not
-- lost.
return {
  phase = "input",
  when = { match = { phase = { "ready", "play" } } },
  query = { "cycle" },
  each = function(e)
    local cycle, players = e.cycle, world.single.match.players
    if cycle.player == 0 or world.find("pause") then return end
    local player = players == 2 and cycle.player or nil
    for dir, action in ipairs { "right", "down", "left", "up" } do
      local heading = cycle.turn == 0 and cycle.dir or cycle.turn
      if input.pressed(action, player) and (dir - heading) % 2 == 1 then
        cycle[cycle.turn == 0 and "turn" or "after"] = dir
      end
    end
    cycle.boost = input.down("boost", player)
  end,
}
