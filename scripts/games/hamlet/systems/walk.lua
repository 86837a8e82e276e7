-- Converts an intent to the velocity of the mover, and selects the animation clip. A hero stands still during a deal.
local deals = require "lib.deals"

return {
  query = { "intent", "walk", "mover", "animation", "sprite" },
  each = function(e)
    local x, y, walk = e.intent.x, e.intent.y, e.walk
    local length = math.sqrt(x * x + y * y)
    if length > 1 then x, y = x / length, y / length end
    local is_walking = length > 0.2 and not deals.is_open(e)
    if is_walking then walk.x, walk.y = x, y else x, y = 0, 0 end
    e.mover.vx, e.mover.vy = x * walk.speed, y * walk.speed
    local side = math.abs(walk.x) > math.abs(walk.y) and "side" or walk.y < 0 and "up" or "down"
    local action = is_walking and "walk_" or e.hero.wait > 0.2 and "dig_" or "idle_"
    e.animation.clip, e.sprite.flip = action .. side, side == "side" and walk.x < 0
  end,
}
