return {
  query = { "motion", "transform" },
  start = function()
    print("listener: start")
  end,
  reload = function()
    print("listener: reload in tick " .. world.tick)
  end,
  stop = function()
    print("listener: stop")
  end,
  enter = function(e)
    print("listener: enter " .. tostring(e))
  end,
  on = {
    bang = function(ev)
      for i = 1, ev.count do
        print(("listener: bang %d in tick %d"):format(ev.number[i], world.tick))
      end
    end,
  },
  each = function(e)
    local tally = world.single.tally
    tally.runs = tally.runs + 1
    e.transform.x = e.transform.x + e.motion.vx
    if world.tick == 29 and e == world.find("first") then
      print("listener: runs " .. tally.runs)
    end
  end,
}
