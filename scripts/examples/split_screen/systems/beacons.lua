-- A ship near the beacon collects it; the beacon then appears elsewhere. A click moves the beacon to the world position
-- that the view under the mouse shows there.
local WIDTH, HEIGHT, WINS = 2400, 1400, 10

local function spawn_ring(x, y)
  local made = world.spawn("ring", { transform = { x = x, y = y } })
  world.tween(made, "shape.radius", 90, 0.5, "cubic_out")
  world.tween(made, "shape.colour.a", 0, 0.5)
end

local function move(beacon, x, y)
  beacon.transform.x = math.max(30, math.min(WIDTH - 30, x))
  beacon.transform.y = math.max(30, math.min(HEIGHT - 30, y))
  beacon.beacon.age = 0
  spawn_ring(beacon.transform.x, beacon.transform.y)
end

return {
  query = { "pilot", "transform" },
  update = function(q, dt)
    local beacon, match = world.find("beacon"), world.single.match
    beacon.beacon.age = beacon.beacon.age + dt
    beacon.shape.radius = 12 + 3 * math.sin(beacon.beacon.age * 5)
    if input.pressed("place") then
      local x, y = world.from_screen(input.mouse())
      move(beacon, x, y)
    end
    for i = 1, q.count do
      local x, y = q.transform.x[i] - beacon.transform.x, q.transform.y[i] - beacon.transform.y
      if x * x + y * y < 34 * 34 and match.winner == "" then
        q.pilot.score[i] = q.pilot.score[i] + 1
        world.emit("taken", { by = q.entity[i] })
        if q.pilot.score[i] >= WINS then
          match.winner, match.ends = q.entity[i]:name(), world.tick + 240
        end
        spawn_ring(beacon.transform.x, beacon.transform.y)
        move(beacon, 80 + world.random() * (WIDTH - 160), 80 + world.random() * (HEIGHT - 160))
        break
      end
    end
    if match.winner ~= "" and world.tick >= match.ends then
      match.winner = ""
      for i = 1, q.count do q.pilot.score[i] = 0 end
    end
  end,
}
