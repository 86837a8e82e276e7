-- On the player's input, spawns an explosion at the mouse, or switches the snow on or off.
return {
  phase = "input",
  query = { "emitter", "transform" },
  update = function()
    if input.pressed("bang") then
      local x, y = input.mouse()
      world.spawn("explosion", { transform = { x = x, y = y } })
    end
    if input.pressed("snow") then
      for e in world.each("emitter") do
        if e:assemblage() == "snow" then e.emitter.enabled = not e.emitter.enabled end
      end
    end
  end,
}
