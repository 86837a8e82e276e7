-- Moves the knight with the keys.
return {
  query = { "transform", "sprite", "animation", "walker" },
  each = function(e, dt)
    local x = (input.down("right") and 1 or 0) - (input.down("left") and 1 or 0)
    local y = (input.down("down") and 1 or 0) - (input.down("up") and 1 or 0)
    local walks = x ~= 0 or y ~= 0
    if walks then
      local length = math.sqrt(x * x + y * y)
      e.transform.x = math.max(8, math.min(312, e.transform.x + x / length * e.walker.speed * dt))
      e.transform.y = math.max(20, math.min(176, e.transform.y + y / length * e.walker.speed * dt))
      if x ~= 0 then
        e.sprite.flip = x < 0
      end
    end
    e.animation.clip = walks and "walk" or "stand"
  end,
}
