-- Saves and loads the game. Reads the list of saves two ticks after saving, because a save is written at the end of a
-- tick.
local NAMES = { "one", "two", "three" }

return {
  update = function()
    local shelf = world.single.shelf
    for _, name in ipairs(NAMES) do
      if input.pressed("save_" .. name) then
        world.save(name)
        shelf.looks = world.tick + 2
      elseif input.pressed("load_" .. name) and not world.load(name) then
        shelf[name] = "nothing is saved here"
      end
    end
    if shelf.looks >= 0 and world.tick >= shelf.looks then
      shelf.looks = -1
      for _, save in ipairs(world.saves()) do
        for _, name in ipairs(NAMES) do
          if save.name == name then shelf[name] = save.problem or ("after %.0f s"):format(save.time) end
        end
      end
    end
  end,
}
