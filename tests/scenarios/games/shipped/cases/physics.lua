local contacts = require "contacts"
local physics = shoal.plugins.physics
local ALL = 0xffffffff

local function spawn_floor_and_ball()
  return world.spawn("wall", { transform = { x = 0, y = 100 } }), world.spawn("ball", { transform = { x = 0, y = 40 } })
end

return {
  ["a ball falls and lands, which emits contact events"] = function(t)
    local floor, ball = spawn_floor_and_ball()
    t.wait(90)
    t.near(ball.transform.y, 80, 0.5)
    t.equal(#contacts.begun >= 1, true)
    local c = contacts.begun[1]
    t.is(c.a == floor and c.b == ball or c.a == ball and c.b == floor)
    t.near(c.x, 0, 0.01)
    t.near(math.abs(c.ny), 1)
    t.is(c.speed > 100 and c.impulse > 100 and c.depth >= 0)
    local touching, count = physics.touching(ball)
    t.equal(count, 1)
    t.equal(touching[1], floor)
  end,
  ["writing the transform moves the body"] = function(t)
    world.single.physics.gravity_y = 0
    local ball = world.spawn("ball", { transform = { x = 5, y = 6 } })
    t.wait(2)
    ball.transform.x = 200
    t.wait(2)
    t.near(ball.transform.x, 200)
    local hit = physics.ray(100, 6, 300, 6, 0, ALL)
    t.equal(hit, ball)
  end,
  ["velocity moves a body and damping slows it"] = function(t)
    world.single.physics.gravity_y = 0
    local free = world.spawn("ball", { rigid_body = { vx = 60 } })
    local slowed = world.spawn("ball", { transform = { y = 100 }, rigid_body = { vx = 60, damping = 0.9 } })
    t.wait(61)
    t.near(free.transform.x, 60, 1.5)
    t.is(slowed.transform.x < 40 and slowed.rigid_body.vx < 8)
  end,
  ["a force acts for one step"] = function(t)
    world.single.physics.gravity_y = 0
    local ball = world.spawn("ball", { rigid_body = { mass = 2 } })
    t.wait()
    ball.rigid_body.force_x = 120
    t.wait()
    t.near(ball.rigid_body.vx, 1)
    t.equal(ball.rigid_body.force_x, 0)
    t.wait(3)
    t.near(ball.rigid_body.vx, 1)
  end,
  ["a push changes the velocity by the impulse divided by the mass"] = function(t)
    local ball = world.spawn("ball", { rigid_body = { mass = 4 } })
    local wall = world.spawn("wall")
    t.wait()
    local before = ball.rigid_body.vx
    physics.push(ball, 8, 0)
    t.near(ball.rigid_body.vx - before, 2)
    t.fails(function() physics.push(wall, 1, 0) end, "no rigid_body")
  end,
  ["a sensor reports contacts without stopping bodies"] = function(t)
    local floor, ball = spawn_floor_and_ball()
    floor.collider.sensor = true
    t.wait(60)
    t.is(ball.transform.y > 150)
    t.equal(#contacts.begun, 1)
    t.equal(contacts.begun[1].sensor, true)
    t.equal(#contacts.ended, 1)
  end,
  ["bodies whose masks exclude each other do not collide"] = function(t)
    local floor, ball = spawn_floor_and_ball()
    floor.collider.category, ball.collider.mask = 4, 3
    t.wait(60)
    t.is(ball.transform.y > 150)
    t.equal(#contacts.begun, 0)
  end,
  ["a contact ends when one of the bodies is destroyed"] = function(t)
    local floor, ball = spawn_floor_and_ball()
    t.wait(90)
    contacts.ended = {}
    floor:destroy()
    t.wait(2)
    t.equal(#contacts.ended, 1)
    t.is(contacts.ended[1].a == ball or contacts.ended[1].b == ball)
    t.wait(30)
    t.is(ball.transform.y > 100)
  end,
  ["a child's collider belongs to the body of its parent"] = function(t)
    world.single.physics.gravity_y = 0
    local ball = world.spawn("ball")
    world.spawn(nil, { transform = { x = 100, parent = ball }, collider = { radius = 8 } })
    t.wait(2)
    t.is(physics.ray(60, 0, 160, 0, 0, ALL) ~= shoal.none)
    ball.rigid_body.spin = 3.14159
    t.wait(60) -- the ball makes half a turn
    t.equal(physics.ray(60, 0, 160, 0, 0, ALL), shoal.none)
    t.is(physics.ray(-160, 0, -60, 0, 0, ALL) ~= shoal.none)
  end,
  ["a kinematic body pushes others and is not pushed"] = function(t)
    world.single.physics.gravity_y = 0
    local ball = world.spawn("ball", { transform = { x = 60 } })
    local pusher = world.spawn("ball", { rigid_body = { kind = "kinematic", vx = 120 } })
    t.wait(61)
    t.near(pusher.transform.x, 120, 3)
    t.is(ball.transform.x > pusher.transform.x + 15)
  end,
  ["a pivot holds a body at a point of the world"] = function(t)
    local ball = world.spawn("ball", { transform = { x = 50, y = 0 } })
    world.spawn(nil, { joint = { kind = "pivot", a = ball, ax = -50 } })
    t.wait(40)
    local x, y = ball.transform.x, ball.transform.y
    t.near(math.sqrt(x * x + y * y), 50, 1.5)
    t.is(y > 10)
  end,
  ["a pin keeps the distance of two bodies"] = function(t)
    world.single.physics.gravity_y = 0
    local a, b = world.spawn("ball"), world.spawn("ball", { transform = { x = 70 } })
    local joint = world.spawn(nil, { joint = { kind = "pin", a = a, b = b } })
    t.wait(2)
    t.near(joint.joint.length, 70)
    physics.push(b, 0, 90)
    physics.push(a, -60, 0)
    t.wait(60)
    local dx, dy = a.transform.x - b.transform.x, a.transform.y - b.transform.y
    t.near(math.sqrt(dx * dx + dy * dy), 70, 2)
  end,
  ["a motor turns a body held by a pivot"] = function(t)
    world.single.physics.gravity_y = 0
    local ball = world.spawn("ball")
    world.spawn(nil, { joint = { kind = "pivot", a = ball } })
    world.spawn(nil, { joint = { kind = "motor", a = ball, rate = -2 } })
    t.wait(30)
    t.near(math.abs(ball.rigid_body.spin), 2, 0.01)
  end,
  ["a ray returns the hit point and the surface normal"] = function(t)
    local wall = world.spawn("wall", { transform = { x = 0, y = 50 } })
    t.wait(2)
    local hit, x, y, nx, ny, part = physics.ray(10, 0, 10, 80, 0, ALL)
    t.equal(hit, wall)
    t.near(x, 10)
    t.near(y, 40)
    t.near(nx, 0)
    t.near(ny, -1)
    t.near(part, 0.5)
    t.equal(physics.ray(10, 0, 10, 30, 0, ALL), shoal.none)
    t.equal(physics.ray(10, 0, 10, 80, 0, 2), shoal.none)
  end,
  ["many rays can be cast in one call"] = function(t)
    local wall = world.spawn("wall", { transform = { x = 0, y = 50 } })
    t.wait(2)
    local hits, count, _, _, y, _, part = physics.rays({ 0, 500 }, { 0, 0 }, { 0, 500 }, { 80, 80 }, ALL)
    t.equal(count, 2)
    t.equal(hits[1], wall)
    t.equal(hits[2], shoal.none)
    t.near(y[1], 40)
    t.near(part[2], 1)
  end,
  ["nearby bodies are returned nearest first"] = function(t)
    world.single.physics.gravity_y = 0
    local far, close = world.spawn("ball", { transform = { x = 80 } }), world.spawn("ball", { transform = { x = 30 } })
    world.spawn("ball", { transform = { x = 300 } })
    t.wait(2)
    local near, count, distance = physics.near(0, 0, 100, ALL)
    t.equal(count, 2)
    t.equal(near[1], close)
    t.equal(near[2], far)
    t.near(distance[1], 20)
    local found, many = physics.in_box(60, -5, 320, 5, ALL)
    t.equal(many, 2)
    t.equal(found[1], far)
  end,
  ["a collider with enabled = false is not hit by rays"] = function(t)
    local wall = world.spawn("wall", { transform = { x = 0, y = 50 }, collider = { enabled = false } })
    t.wait(2)
    t.equal(physics.ray(0, 0, 0, 80, 0, ALL), shoal.none)
    wall.collider.enabled = true
    t.wait(2)
    t.equal(physics.ray(0, 0, 0, 80, 0, ALL), wall)
  end,
  ["a disabled body remains an obstacle and keeps its values"] = function(t)
    world.single.physics.gravity_y = 0
    local before = world.spawn("ball", { transform = { x = 500 }, rigid_body = { vx = 30 } })
    local held = world.spawn("ball", { transform = { x = 0 }, rigid_body = { vx = 60 } })
    local after = world.spawn("ball", { transform = { x = 900 }, rigid_body = { vx = 30 } })
    t.wait(2)
    held:disable("rigid_body")
    t.wait(1)
    local x, others = held.transform.x, { before.transform.x, after.transform.x }
    t.wait(20)
    t.equal(held.transform.x, x)
    t.equal(held.rigid_body.vx, 60)
    t.near(before.transform.x, others[1] + 10, 0.1)
    t.near(after.transform.x, others[2] + 10, 0.1)
    t.equal(physics.ray(x, -50, x, 50, 0, ALL), held)
    held:enable("rigid_body")
    t.wait(20)
    t.near(held.transform.x, x + 20, 1.1)
  end,
  ["a disabled collider touches nothing and is not found"] = function(t)
    local floor, ball = spawn_floor_and_ball()
    t.wait(90)
    t.equal(physics.ray(0, 60, 0, 140, 0, ALL), ball)
    floor:disable("collider")
    t.wait(3)
    t.equal(#contacts.ended, 1)
    t.wait(30)
    t.is(ball.transform.y > 110, "it still lies there")
    t.equal(physics.ray(0, 90, 0, 110, 0, ALL), shoal.none)
    ball:disable() -- disables the whole entity
    t.wait(2)
    local y = ball.transform.y
    t.wait(10)
    t.equal(ball.transform.y, y)
    t.equal(physics.ray(0, y - 30, 0, y + 30, 0, ALL), shoal.none)
  end,
  ["a disabled joint, or one with a disabled body, holds nothing and is re-measured when enabled"] = function(t)
    local held, free = world.spawn("ball"), world.spawn("ball", { transform = { x = 300 } })
    local joint = world.spawn(nil, { joint = { kind = "pin", a = held, ay = -40 } })
    local other = world.spawn(nil, { joint = { kind = "pin", a = free, ay = -40 } })
    t.wait()
    joint:disable("joint")
    free:disable("rigid_body")
    joint.joint.length, other.joint.length = -1, -1
    t.wait(3)
    t.equal(joint.joint.length, -1)
    t.equal(other.joint.length, -1)
    local x, y, vy = held.transform.x, held.transform.y, held.rigid_body.vy
    t.wait(10)
    t.near(held.transform.x, x)
    t.near(held.rigid_body.vy, vy + 100, 0.1)
    t.is(held.transform.y > y)
    joint:enable("joint")
    free:enable("rigid_body")
    t.wait(2)
    t.is(joint.joint.length > 0 and other.joint.length > 0)
  end,
  ["restoring a state from before a body was disabled gives the same result"] = function(t)
    local _, ball = spawn_floor_and_ball()
    local second = world.spawn("ball", { transform = { x = 3, y = 20 } })
    t.wait(30)
    local here, ends = world.snapshot(), {}
    for turn = 1, 2 do
      world.restore(here)
      t.wait(5)
      ball:disable("rigid_body")
      t.wait(7)
      ball:enable("rigid_body")
      t.wait(40)
      local a, b = ball.rigid_body, second.rigid_body
      ends[turn] = string.format("%a %a %a %a %a", a.vx, a.spin, b.vx, b.spin, second.transform.x)
    end
    t.equal(ends[1], ends[2])
  end,
  ["a polygon becomes its convex hull"] = function(t)
    world.spawn(nil, { transform = {}, collider = { kind = "polygon",
      points = "-50,-50 50,-50 50,50 -50,50 0,0 nonsense" } })
    t.wait(2)
    local _, x = physics.ray(-100, 10, 0, 10, 0, ALL)
    t.near(x, -50)
  end,
  ["NaN values of a body do not make its position NaN, and searches accept NaN and infinity"] = function(t)
    local _, ball = spawn_floor_and_ball()
    t.wait(2)
    ball.rigid_body.vx, ball.rigid_body.mass, ball.collider.radius = 0 / 0, -1, 0 / 0
    t.wait(3)
    t.is(ball.transform.x == ball.transform.x)
    physics.ray(0 / 0, 1 / 0, -1 / 0, 0, -5, -1)
    physics.near(0 / 0, 0, 1 / 0, ALL)
  end,
}
