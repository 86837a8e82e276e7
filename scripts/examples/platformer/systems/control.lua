-- Sets the hero's velocity from the input. The hero can still jump shortly after he has left an edge (coyote time), and
-- jumps lower if the key is released early.
local GRAVITY, JUMP, GRACE, DELAY = 760, 250, 0.08, 300

-- Returns the walking direction that the autopilot chooses, and whether it jumps. It plays after DELAY ticks without
-- input, walks right and jumps over chasms, walls and slimes.
local function compute_intent(e)
  local at, tiles = e.transform, world.tiles(world.find("land"))
  local column, row = math.floor((at.x + 14) / 16) + 1, math.floor((at.y + 4) / 16) + 1
  local ahead = world.ray(at.x, at.y - 5, at.x + 26, at.y - 5, "slime")
  return 1, e.mover.on_wall or ahead ~= nil or not (tiles:solid(column, row) or tiles:solid(column, row + 1))
end

return {
  query = { "hero", "mover", "transform", "sprite", "animation" },
  each = function(e, dt)
    local hero, mover = e.hero, e.mover
    local x = (input.down("right") and 1 or 0) - (input.down("left") and 1 or 0)
    local jumps, holds = input.pressed("jump"), input.down("jump")
    if x ~= 0 or holds then
      world.single.purse.played = world.tick
    elseif world.tick - world.single.purse.played > DELAY and not world.single.purse.won then
      x, jumps = compute_intent(e)
      holds = true
    end
    hero.air = mover.on_floor and 0 or hero.air + dt
    mover.vx = mover.vx + (x * hero.speed - mover.vx) * math.min(1, 14 * dt)
    mover.vy = math.min(mover.vy + GRAVITY * dt, 420)
    if jumps and hero.air < GRACE then
      mover.vy, hero.air = -JUMP, GRACE
    elseif mover.vy < -60 and not holds then
      mover.vy = -60
    end
    if x ~= 0 then
      e.sprite.flip = x < 0
    end
    e.animation.clip = hero.air > 0.05 and "air" or math.abs(mover.vx) > 12 and "walk" or "stand"
  end,
}
