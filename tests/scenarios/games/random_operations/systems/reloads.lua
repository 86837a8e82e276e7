return {
  priority = 1000,
  update = function()
    if world.tick % 50 == 49 then
      reload()
    elseif world.tick % 31 == 0 then
      collectgarbage()
    end
  end,
}
