-- Casts the fireball, once the hero has found it.
local REST, SPEED = 0.55, 150

return {
  after = { "walk" },
  query = { "intent", "walk", "transform", "caster" },
  each = function(e, dt)
    local caster, walk, transform = e.caster, e.walk, e.transform
    caster.wait = math.max(0, caster.wait - dt)
    if not e.intent.cast or caster.wait > 0 or not world.single.quest.fireball then return end
    caster.wait = REST
    world.spawn("fireball", {
      transform = { x = transform.x + walk.x * 8, y = transform.y - 5 + walk.y * 8 },
      flight = { x = walk.x * SPEED, y = walk.y * SPEED },
    })
    world.emit("noise", { file = "fireball.wav", x = transform.x, volume = 0.5 })
  end,
}
