-- Responds to collisions and awards points. A destroyed entity takes part in no other collision of the same tick.
local looks, boss_colour = assets.json "looks.json", require("lib.looks").boss_colour
-- QUICK: maximum ticks between the hits of a combo; DROPS: on average, one in DROPS killed invaders drops a
-- power-up
local QUICK, DROPS = 100, 16
local MAX_LIVES = 6 -- a destroyed mother ship adds a cannon if the player has fewer cannons than this
-- meets[a][b] responds to a collision between entities of the assemblages a and b. Called with the entity of b, then
-- the entity of a, which is destroyed unless the function returns true. systems/powerups.lua handles a cannon that
-- catches a power-up.
local meets = { shot = {}, bomb = {}, invader = {}, cannon = {} }

local function score(points)
  local match = world.single.match
  match.combo = world.tick - match.hit_at < QUICK and match.combo + 1 or 1
  match.hit_at, match.times = world.tick, math.min(5, 1 + math.floor(match.combo / 8))
  match.score = match.score + points * match.times
  if not match.demo and match.score > settings.best then
    settings.best, match.is_best = match.score, match.record > 0
  end
  return points * match.times
end

local function burst(e, kind, row, frame, points)
  world.emit("burst", { kind = kind, x = e.transform.x, y = e.transform.y, row = row, frame = frame, points = points })
  e:destroy()
end

-- Destroys the hit cell and cells around it, with a probability that falls with the distance.
local function bite(cell, radius)
  local x, y = cell.transform.x, cell.transform.y
  for _, e in ipairs(world.near(x, y, radius, "cell")) do
    local dx, dy = e.transform.x - x, e.transform.y - y
    if dx * dx + dy * dy < radius * radius * (0.25 + 0.75 * world.random()) then e:destroy() end
  end
  burst(cell, "chip")
end

function meets.shot.invader(e)
  if world.random(DROPS) == 1 then world.emit("powerup_dropped", { x = e.transform.x, y = e.transform.y }) end
  burst(e, "killed", e.invader.row, e.sprite.frame, score(looks.rows[e.invader.row].points))
end

function meets.shot.saucer(e)
  world.emit("powerup_dropped", { x = e.transform.x, y = e.transform.y })
  burst(e, "saucer", 1, 1, score(50 * (2 + math.floor(world.random() * 5))))
end

function meets.shot.boss(e, shot)
  local boss, at, match = e.boss, shot.transform, world.single.match
  boss.health = boss.health - 1
  world.emit("burst", { kind = "armour", x = at.x, y = at.y })
  world.tween(e, "sprite.tint", boss_colour(match.wave), 0.25, "quad_out", { from = looks.white })
  if boss.health > 0 then return end
  for side = -1, 1, 2 do world.emit("powerup_dropped", { x = e.transform.x + 70 * side, y = e.transform.y }) end
  match.lives = math.min(MAX_LIVES, match.lives + 1)
  burst(e, "boss", 1, 1, score(500 * math.floor(match.wave / looks.boss_every)))
end

function meets.shot.bomb(e) burst(e, "clash") end
function meets.shot.cell(e) bite(e, 11) end
function meets.bomb.cell(e) bite(e, 20) end
function meets.invader.cell(e) return e:destroy() end

function meets.bomb.cannon(e)
  if e.cannon.grace > 0 or world.single.match.phase ~= "play" then return true end
  if not e:has("shield") then return world.emit("go", { to = "lost" }) end
  e:remove("shield")
  world.emit("burst", { kind = "clash", x = e.transform.x, y = e.transform.y - 20 })
end

return {
  phase = "post_update",
  after = { "shoal.collision" },
  on = { collision_began = function(ev)
    for i = 1, ev.count do
      local a, b = ev.a[i], ev.b[i]
      local meet = a:alive() and b:alive() and meets[a:assemblage()][b:assemblage()]
      if meet and not meet(b, a) then a:destroy() end
    end
  end },
}
