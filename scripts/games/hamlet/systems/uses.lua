-- Emits `used` for the object that a hero uses.
local deals, reach = require "lib.deals", require "lib.reach"

return {
  query = { "intent", "hero", "walk", "transform" },
  after = { "walk" },
  each = function(e, dt)
    e.hero.wait = math.max(0, e.hero.wait - dt)
    if not e.intent.use or e.hero.wait > 0 or deals.is_open(e) then return end
    local object = reach.find_object(e)
    if not object then return end
    e.walk.x, e.walk.y = object.transform.x - e.transform.x, object.transform.y - e.transform.y
    world.emit("used", { hero = e, object = object })
  end,
}
