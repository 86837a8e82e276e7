return {
  query = { "motion", "transform" },
  start = function()
    print("hears: start")
  end,
  reload = function()
    print("hears: reload in tick " .. world.tick)
  end,
  stop = function()
    print("hears: stop")
  end,
  enter = function(e)
    print("hears: enter " .. tostring(e))
  end,
  on = {
    bang = function(ev)
      for i = 1, ev.count do
        print(("hears: bang %d in tick %d"):format(ev.number[i], world.tick))
      end
    end,
  },
  each = function(e)
    local tally = world.single.tally
    tally.runs = tally.runs + 1
    e.transform.x = e.transform.x + e.motion.vx
    if world.tick == 29 and e == world.find("first") then
      print("hears: runs " .. tally.runs)
    end
  end,
}
