-- Nobody sees a minimised window: no rocket flies until it is restored. Input systems run in a paused game too.
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
