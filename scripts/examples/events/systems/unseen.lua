-- Pauses the game while its window is minimised. Systems in phase "input" also run in a paused game.
return {
  phase = "input",
  on = {
    ["shoal.window"] = function(ev)
      for i = 1, ev.count do
        if ev.kind[i] == "minimised" or ev.kind[i] == "restored" then world.pause(ev.kind[i] == "minimised") end
      end
    end,
  },
}
