-- Moves the eater, reduces its health over time (its size follows its health), shrinks rectangles, and spawns new ones.
local looks = assets.json "looks.json"
-- MIN, MAX: pixels; a rectangle whose side reaches either limit disappears. COUNT: number of rectangles
local SPEED, SLIDE, MIN, MAX, COUNT = 380, 9, 10, 112, 20

local function keep(at, side) -- keeps a rectangle inside the frame
  at.x = math.max(looks.left + side / 2, math.min(looks.right - side / 2, at.x))
  at.y = math.max(looks.top + side / 2, math.min(looks.bottom - side / 2, at.y))
end

local function serve(eater)
  local x, y = looks.left + 1252 * world.random(), looks.top + 628 * world.random()
  local dx, dy = x - eater.transform.x, y - eater.transform.y
  if dx * dx + dy * dy < 190 * 190 then return end -- tries another position in the next tick
  local side = 22 + 66 * world.random() * world.random() + 20 * world.random()
  world.spawn("morsel", { transform = { x = x, y = y },
    food = { side = side, aspect = 0.7 + 0.7 * world.random(), tone = world.random(3) } })
end

return {
  after = "pilot",
  when = { match = { phase = "course" } },
  query = { "food", "transform", "body" },
  update = function(q, dt)
    local match, eater = world.single.match, world.find("eater") --[[@as shoal.Entity]]
    local own, at, intent = eater.eater, eater.transform, eater.intent
    for i = 1, q.count do
      local e = q.entity[i]
      local food = e.food
      food.side, food.age = math.min(MAX, food.side - food.decay * dt), food.age + dt
      e.body.width, e.body.height = food.side * food.aspect, food.side / food.aspect
      keep(e.transform, food.side)
      if food.side < MIN or food.side >= MAX then e:destroy() end
    end
    if q.count < COUNT then serve(eater) end
    own.vx = own.vx + (intent.x * SPEED - own.vx) * SLIDE * dt
    own.vy = own.vy + (intent.y * SPEED - own.vy) * SLIDE * dt
    own.x, own.y = own.x + (intent.x - own.x) * SLIDE * dt, own.y + (intent.y - own.y) * SLIDE * dt
    at.x, at.y = at.x + own.vx * dt, at.y + own.vy * dt
    keep(at, own.side)
    own.health = own.health - (looks.drain[match.demo and "normal" or settings.hunger] + match.course) * dt
    own.side = own.side + (24 + own.health * 0.62 - own.side) * math.min(1, 8 * dt)
    own.grace, own.mouth = own.grace - dt, math.max(0, own.mouth - dt)
    eater.body.width, eater.body.height = own.side, own.side
    match.chain.left = match.chain.left - dt
    if match.chain.left < 0 then match.chain.bites = 0 end
    if own.health <= 0 then world.emit("go", { to = "over" }) end
  end,
}
