-- The sword: an attack is a short-lived entity that hurts whatever it touches. If there is a usable object in front of
-- the hero and no foe near him, the same key uses the object instead.
local senses = require "lib.senses"
local FOE_NEAR = 40 -- pixels; if a foe is nearer, the key strikes and does not use an object

return {
  after = { "walk" },
  query = { "intent", "walk", "transform", "caster", without = { "striking", "frozen" } },
  each = function(e)
    if not e.intent.strike then return end
    local x, y = senses.facing(e)
    local object = senses.find_usable(e)
    if object and not senses.find_foe(e, FOE_NEAR) then
      world.emit("used", { entity = object })
      return
    end
    e:add("striking")
    e.knock.x, e.knock.y = e.knock.x + x * 70, e.knock.y + y * 70
    world.spawn("slash", {
      transform = { x = x * 8, y = y * 9 - 6, angle = math.atan2(y, x), parent = e },
      sprite = { layer = y < 0 and -1 or 1 },
    })
    world.emit("noise", { file = "swing.wav", x = e.transform.x, volume = 0.5 })
  end,
}
