-- Tests of the component path.
local function spawn_guard(x, y, values)
  values.points, values.loop, values.speed = values.points or "0,0 30,0 30,30", true, 60
  return world.spawn(nil, { transform = { x = x, y = y }, path = values })
end

return {
  inside = {
    ["points of a relative path start where the entity was spawned"] = function(t)
      local a, b = spawn_guard(100, 50, { relative = true }), spawn_guard(-7, 3, { relative = true })
      local fixed = spawn_guard(100, 50, { points = "0,0" })
      t.wait(10)
      t.near(a.transform.x, 110)
      t.near(a.transform.y, 50)
      t.near(b.transform.x, 3)
      t.is_true(fixed.transform.x < 100 and fixed.transform.y < 50)
      a.path.points = "0,0 60,0" -- the path continues from the current position
      t.wait(20)
      t.near(a.transform.x, 130)
      t.near(b.transform.x, 23)
      a:remove("path")
      b.path.relative = false
      t.wait()
      a:add("path", { points = "0,10", relative = true, speed = 600 })
      t.wait(3)
      t.near(a.transform.x, 130)
      t.near(a.transform.y, 60)
      t.is_true(b.transform.x > 23) -- the guard moves towards the point 30, 30 in the world
      for _, e in ipairs { a, b, fixed } do
        e:destroy()
      end
      t.wait()
    end,
  },
}
