-- Responds to collisions: rocks block, hunters pick up bounties, a rammed hunter drops its train, and rammed outlaws
-- are caught.
-- MAX: maximum load; DAZED: seconds for which a ram dazes a hunter
local MAX, DAZED, looks = 10, 0.8, assets.json "looks.json"
-- meets[a][b] responds to a collision between entities of the assemblages a and b. Its arguments are the two entities,
-- the direction from the first to the second, and the penetration depth.
local meets = { hunter = {}, outlaw = {} }

local function push(transform, nx, ny, depth) transform.x, transform.y = transform.x + nx * depth,
  transform.y + ny * depth end
local function emit_at(event, a, transform, count)
  world.emit(event, { x = transform.x, y = transform.y, many = count, player = a.hunter.home.stash.player })
end
-- Scatters the whole train of hunter b in all directions if hunter a dashes into b; any hunter can then take the
-- bounties.
local function ram(a, b, nx, ny)
  local dash, other_dash = a.dash, b.dash
  if dash.left <= 0 or other_dash.left > 0 or other_dash.dazed > 0 then return end
  emit_at("struck", b.hunter.home.stash.player > 0 and b or a, b.transform, b.train.load)
  for e in world.each("carried", "bounty") do
    if e.carried.by == b then
      local angle, speed = world.random() * 2 * math.pi, 160 + 240 * world.random()
      e:remove("carried")
      e:add("flung", { vx = math.cos(angle) * speed, vy = math.sin(angle) * speed })
      e:add("lifetime", { seconds = 6 + 2 * world.random() })
      e.bounty.taken, e.bounty.grace, e.body.enabled = false, 0.45, true
    end
  end
  b.train.load, b.train.last, b.motion.vx, b.motion.vy = 0, shoal.none, nx * 420, ny * 420
  dash.left, other_dash.dazed = 0, DAZED
end
function meets.hunter.hunter(a, b, nx, ny, depth)
  push(a.transform, nx, ny, -depth / 2)
  push(b.transform, nx, ny, depth / 2)
  ram(a, b, nx, ny)
  ram(b, a, -nx, -ny)
end
function meets.hunter.bounty(a, e)
  local train = a.train
  if e.bounty.taken or e.bounty.grace > 0 or train.load >= MAX or a.dash.dazed > 0 then return end
  e.bounty.taken, e.body.enabled = true, false
  e:add("carried", { by = a, after = train.last:alive() and train.last or a }) -- appends the bounty to the train
  e:remove("lifetime")
  e:remove("flung")
  train.last, train.load = e, train.load + 1
  emit_at("picked", a, e.transform, train.load)
end
function meets.hunter.outlaw(a, e)
  local transform = { x = e.transform.x, y = e.transform.y }
  if a.dash.left <= 0 or a.train.load >= MAX then return end
  emit_at("caught", a, transform, 0)
  world.spawn("bounty", { transform = transform, bounty = { value = looks.outlaw }, sprite = { frame = 11 } })
  e:destroy()
end
function meets.hunter.rock(a, _, nx, ny, depth) push(a.transform, nx, ny, -depth) end
meets.outlaw.rock = meets.hunter.rock
return {
  phase = "post_update",
  after = { "shoal.collision" },
  when = { match = { phase = { "title", "hunt" } } },
  on = { collision = function(ev)
    for i = 1, ev.count do
      local a, b = ev.a[i], ev.b[i]
      local respond = a:alive() and b:alive() and meets[a:assemblage()][b:assemblage()]
      if respond then respond(a, b, ev.nx[i], ev.ny[i], ev.depth[i]) end
    end
  end },
}
