-- Moves the cheese to the position of a click.
return {
  update = function()
    if input.pressed("put") then
      local at = world.find("cheese").transform
      at.x, at.y = input.mouse()
    end
  end,
}
