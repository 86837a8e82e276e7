return {
  update = function()
    if world.tick == 5 or world.tick == 35 then
      world.system("mourn", world.tick == 35)
    elseif world.tick == 7 then
      world.find("old grave"):destroy()
    end
  end,
}
