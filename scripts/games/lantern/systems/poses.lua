-- Selects the hero's animation clip by action (idle, walking or striking) and direction.
return {
  phase = "post_update",
  query = { "walk", "animation", "sprite", "caster", "intent" },
  each = function(e)
    local x, y = e.walk.x, e.walk.y
    local side = math.abs(x) > math.abs(y) and "side" or y < 0 and "up" or "down"
    local is_moving = math.abs(e.intent.x) + math.abs(e.intent.y) > 0.2
    e.animation.clip = (e:has "striking" and "strike_" or is_moving and "walk_" or "idle_") .. side
    e.sprite.flip = side == "side" and x < 0
  end,
}
