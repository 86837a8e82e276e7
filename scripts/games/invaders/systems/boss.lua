-- The mother ship of every fifth wave: it sways, descends, and drops fans of bombs. Every third volley is a single bomb
-- aimed at the cannon. The pauses between volleys get shorter as the ship takes damage. From the second mother ship on,
-- the fans are wider and the ship sways faster.
local looks = assets.json "looks.json"
local LOWEST, SPREAD = 130, 130 -- LOWEST: pixels that it descends; SPREAD: sideways speed between two bombs of a fan

local function drop_bomb(boss_at, vx, vy)
  local y = boss_at.y + 60
  local bomb = world.spawn("bomb", { transform = { x = boss_at.x + vx * 0.2, y = y }, mover = { vx = vx, vy = vy },
    lifetime = (looks.ground_y - y) / vy })
  world.tween(bomb, "transform.scale_x", -1, 0.16, "linear", { forever = true, back = true })
end

local function drop_volley(boss, at, wave)
  local cannon, speed = world.find("cannon"), math.min(400, 240 + 8 * wave)
  boss.volleys = boss.volleys + 1
  if boss.volleys % 3 == 0 and cannon then
    return drop_bomb(at, (cannon.transform.x - at.x) * speed / (cannon.transform.y - at.y), speed)
  end
  local side = wave > looks.boss_every and 2 or 1
  for i = -side, side do drop_bomb(at, SPREAD * i, speed) end
end

return {
  when = { match = { phase = "play" } },
  query = { "boss", "transform" },
  each = function(e, dt)
    local boss, at, wave = e.boss, e.transform, world.single.match.wave
    boss.clock, boss.bombs_in = boss.clock + dt, boss.bombs_in - dt
    at.x = 640 + 430 * math.sin(boss.clock * (wave > looks.boss_every and 0.8 or 0.6))
    at.y = looks.boss_y + math.min(LOWEST, boss.clock * 2.5) + 14 * math.sin(boss.clock * 1.9)
    if boss.bombs_in > 0 then return end
    boss.bombs_in = 0.7 + 0.9 * boss.health / boss.max
    drop_volley(boss, at, wave)
  end,
}
