-- Defines and redefines assemblages, and spawns before and after a definition in the same run.
local CHOICES = { "calm", "angry" }

local function make_guns(n)
  local out = {}
  for i = 1, n do
    out["g" .. i] = { heat = i }
  end
  return out
end

return {
  update = function()
    local tick, tally = world.tick, world.single.tally
    if tick % 20 == 7 then
      local name = "kind" .. world.random(4)
      if tally.defined > 0 then world.spawn("second", { look = { size = 9 } }) end
      world.define(name, { is = { "first", tally.defined > 0 and "second" or "moody" },
        components = { look = { size = world.random(5), name = "made in " .. tick },
          gun = make_guns(world.random(3)) } })
      world.define("second", { is = "moody", components = { look = { size = tick / 10 }, marker = tick % 40 == 7 and {}
        or nil, place = tick % 60 == 7 and { y = 5 } or nil },
        children = tick % 80 == 47 and { top = { is = "nest" } } or nil,
        states = { initial = "calm", calm = { look = { mood = CHOICES[world.random(2)] } } } })
      tally.defined = tally.defined + 1
      world.spawn(name)
      world.spawn_many("second", 3, function(q) for i = 1, q.count do q.place.x[i] = i * 3 end end)
    elseif tick % 20 == 13 then
      world.define("first", { is = "body", components = { look = { size = 2 + tick % 3 } } })
      for e in world.each("look") do
        local dice = world.random(6)
        if dice == 1 then
          e:destroy()
        elseif dice == 2 and e:assemblage() == "second" then
          e:enter(e:state() == "calm" and "angry" or "calm")
        elseif dice == 3 then
          e.look.size = 7
        end
      end
    end
  end,
}
