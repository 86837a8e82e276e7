-- Breaks struck rocks: a large or medium one splits into two of the next size, which inherit 90 % of its velocity.
local tuning = require "tuning"
local rocks = require "lib.rocks"
local blasts = require "lib.blasts"

local function split(e, kind)
  local transform, motion, hit = e.transform, e.motion, e.struck
  local half_kind = tuning.rocks[kind.next]
  -- The halves fly apart perpendicular to the hit.
  local across = math.atan2(hit.ny, hit.nx) + math.pi / 2
  for side = -1, 1, 2 do
    local angle = across + (side < 0 and math.pi or 0) + (world.random() - 0.5) * 0.9
    local speed = kind.spread + half_kind.spread * (0.5 + world.random())
    local dx, dy = math.cos(angle), math.sin(angle)
    rocks.spawn(kind.next, transform.x + dx * half_kind.radius * 0.6, transform.y + dy * half_kind.radius * 0.6,
      motion.vx * 0.9 + dx * speed + hit.nx * 12, motion.vy * 0.9 + dy * speed + hit.ny * 12)
  end
end

return {
  phase = "post_update",
  after = { "hits" },
  query = { "rock", "struck", "transform", "motion" },
  each = function(e)
    local size = e.rock.size
    local kind, t = tuning.rocks[size], e.transform
    blasts.announce(e, kind.power, tuning.colours[size])
    if e.struck.scores then world.emit("scored", { points = kind.points, x = t.x, y = t.y }) end
    if kind.next then split(e, kind) end
    e:destroy()
  end,
}
