local fill = {}

function fill.nothing() end

function fill.sprites()
  world.spawn_many("dot", 20000, function(q)
    local x, y, vx, vy = q.transform.x, q.transform.y, q.velocity.x, q.velocity.y
    for i = 1, q.count do
      x[i], y[i] = i * 7 % 1280, i * 13 % 720
      vx[i], vy[i] = i % 5 - 2, i % 3 - 1
    end
  end)
end

function fill.tiles()
  world.spawn("map")
end

function fill.particles()
  world.spawn("cloud")
end

function fill.widgets()
  local panel = world.spawn("buttons")
  for i = 1, 500 do
    world.spawn("button", { button = { text = tostring(i) }, transform = { parent = panel } })
  end
end

function fill.letters()
  for line = 1, 100 do
    local text = ("%02d "):format(line - 1) .. ("the quick brown fox jumps over the lazy dog, "):rep(3):sub(1, 97)
    local x, y = (line - 1) % 2 * 640, math.floor((line - 1) / 2) * 14
    world.spawn("line", { transform = { x = x, y = y }, text = { value = text } })
  end
end

-- 200 lights with shadows, and 60 boxes as occluders.
function fill.lights()
  world.spawn("ground")
  for i = 1, 60 do
    world.spawn("block", { transform = { x = i * 211 % 1280, y = i * 97 % 720, angle = i } })
  end
  for i = 1, 200 do
    world.spawn("lamp", { transform = { x = i * 7 * 13 % 1280, y = i * 13 * 17 % 720 },
      velocity = { x = i % 5 - 2, y = i % 3 - 1 } })
  end
end

return {
  update = function()
    if not world.find("camera") then
      world.spawn("camera")
      fill[world.single.bench.what]()
    end
  end,
}
