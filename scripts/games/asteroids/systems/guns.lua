-- Fires bullets according to the pilot's intent. The gun limits the rate of fire and the number of bullets in flight.
local tuning = require "tuning"
local crew = require "lib.crew"
local sounds = require "lib.sounds"

local function count_bullets(bullets, player)
  local count = 0
  for i = 1, bullets.count do
    if bullets.bullet.player[i] == player then count = count + 1 end
  end
  return count
end

-- Returns the colour of a player's bullets. If there are several players, each has its own colour.
local function choose_colour(player)
  if #players.list() <= 1 then return tuning.colours.bullet end
  local colour = crew.get_colour(player)
  return { 0.6 + 1.2 * colour[1], 0.6 + 1.2 * colour[2], 0.6 + 1.2 * colour[3] }
end

return {
  after = { "thrust" },
  queries = { guns = { "ship", "transform", "motion", "intent", "gun" },
    bullets = { "bullet", without = { "hazard" } } },
  update = function(q, dt)
    local transform, motion, gun, fire = q.guns.transform, q.guns.motion, q.guns.gun, q.guns.intent.fire
    local player = q.guns.ship.player
    for i = 1, q.guns.count do
      gun.wait[i] = math.max(0, gun.wait[i] - dt)
      if fire[i] and gun.wait[i] == 0
        and count_bullets(q.bullets, player[i]) < gun.bullets[i] then
        gun.wait[i] = gun.interval[i]
        local dx, dy = math.cos(transform.angle[i]), math.sin(transform.angle[i])
        local colour = choose_colour(player[i])
        world.spawn("bullet", {
          bullet = { player = player[i] }, shape = { colour = { colour[1], colour[2], colour[3], 1 } },
          transform = { x = transform.x[i] + dx * 17, y = transform.y[i] + dy * 17, angle = transform.angle[i] },
          motion = { vx = motion.vx[i] + dx * gun.speed[i], vy = motion.vy[i] + dy * gun.speed[i] },
          lifetime = { seconds = gun.reach[i] },
        })
        motion.vx[i], motion.vy[i] = motion.vx[i] - dx * 4, motion.vy[i] - dy * 4 -- the ship recoils
        sounds.play("fire.wav", 0.42, transform.x[i])
      end
    end
  end,
}
