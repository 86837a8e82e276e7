-- Moves each hero with the keys of its player.
return {
  query = { "hero", "mover", "sprite", "animation" },
  each = function(e)
    local x, y = input.axis("x", e.hero.player), input.axis("y", e.hero.player) -- each -1 to 1
    e.mover.vx, e.mover.vy = x * e.hero.speed, y * e.hero.speed
    e.animation.clip = (x ~= 0 or y ~= 0) and "walk" or "stand"
    if x ~= 0 then e.sprite.flip = x < 0 end
  end,
}
