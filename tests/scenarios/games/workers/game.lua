-- All kinds of systems that can be split over workers, with enough rows to be split. tests/scenarios/workers.sh runs it
-- with 1, 2 and 8 workers and compares hashes.
local COUNT = 40000

return {
  title = "Workers", width = 1280, height = 720, tick_rate = 60,
  start = function()
    world.spawn_many("mote", COUNT, function(q)
      for i = 1, q.count do
        q.transform.x[i], q.transform.y[i] = world.random(-2000, 2000), world.random(-2000, 2000)
        q.motion.vx[i], q.motion.vy[i] = world.random(-30, 30) + 0.5, world.random(-30, 30) + 0.25
        q.body.radius[i] = 4 + i % 7
        if i % 5 < 2 and i > 5 then -- families: a parent and its descendants
          q.transform.parent[i] = q.entity[i - 1]
        end
        q.lifetime.seconds[i] = 0.2 + i % 997 / 60
      end
    end)
    world.spawn_many("dust", 250000, function(q)
      for i = 1, q.count do
        q.dust.x[i], q.dust.v[i] = i % 1000, world.random(-30, 30) + 0.5
      end
    end)
    -- Add components in reverse order, so that each component orders its rows differently; destroy some entities.
    local all = {}
    for e in world.each("motion") do
      all[#all + 1] = e
    end
    for i = #all, 1, -1 do
      all[i]:add("weight", { grams = i % 300 })
    end
    for i = #all, 1, -3 do
      all[i]:add("charge", { value = i, kind = i % 2 == 0 and "odd" or "even", near = all[i - 1] })
    end
    for i = 1, #all, 101 do
      all[i]:destroy()
    end
  end,
}
