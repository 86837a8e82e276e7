-- Plays the sounds of `noise` events, panned by their distance from the middle of the view.
return {
  phase = "post_update",
  after = { "struck", "deaths", "contacts" },
  on = {
    noise = function(ev)
      local eye = world.find("eye").transform.x
      for i = 1, ev.count do
        audio.play(ev.file[i], { volume = ev.volume[i], pan = math.max(-0.7, math.min(0.7, (ev.x[i] - eye) / 200)) })
      end
    end,
  },
}
