-- The sword: an attack is a short-lived entity that hurts whatever it touches. If there is a usable object in front of
-- the hero, the same key uses the object instead.

local function find_usable(e, x, y)
  local transform = e.transform
  for _, object in ipairs(world.box(transform.x - 5 + x * 9, transform.y - 8 + y * 9, transform.x + 5 + x * 9,
    transform.y + 1 + y * 9, "solid")) do
    if object:has "chest" or object:has "keeper" or object:has "barrier" then return object end
  end
end

return {
  after = { "walk" },
  query = { "intent", "walk", "transform", "caster", without = { "striking", "frozen" } },
  each = function(e)
    if not e.intent.strike then return end
    local walk = e.walk
    local x = math.abs(walk.x) > math.abs(walk.y) and (walk.x < 0 and -1 or 1) or 0
    local y = x == 0 and (walk.y < 0 and -1 or 1) or 0
    local object = find_usable(e, x, y)
    if object then
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
