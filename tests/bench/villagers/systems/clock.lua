return {
  update = function()
    local clock = world.single.clock
    clock.minute = clock.minute + 2
    if clock.minute >= 60 then
      clock.minute, clock.hour = 0, (clock.hour + 1) % 24
    end
  end,
}
