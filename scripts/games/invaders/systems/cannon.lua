-- The cannon: moved and fired by the player, or by the pilot when nobody plays.
local looks = require "looks"
local pilot = require "pilot"
local SPEED, SLIDE, RELOAD, SHOTS = 560, 16, 0.34, 2

return {
  when = { match = { phase = { "ready", "play" } } },
  query = { "cannon", "transform", "sprite" },
  each = function(e, dt)
    local cannon, at, match = e.cannon, e.transform, world.single.match
    local want, fires = input.axis("move"), input.down("fire")
    if match.demo then want, fires = pilot(at.x) end
    cannon.speed = cannon.speed + (want * SPEED - cannon.speed) * math.min(1, SLIDE * dt)
    at.x = math.max(looks.left, math.min(looks.right, at.x + cannon.speed * dt))
    at.angle = cannon.speed * 0.00016
    cannon.reload, cannon.triple = cannon.reload - dt, math.max(0, cannon.triple - dt)
    cannon.grace = math.max(0, cannon.grace - dt)
    e.sprite.visible = cannon.grace == 0 or world.tick % 8 < 5
    local spread = cannon.triple > 0 and 1 or 0
    if not fires or match.phase ~= "play" or cannon.reload > 0 or world.count("shot") >= SHOTS * (1 + 2 * spread) then
      return
    end
    cannon.reload = RELOAD
    for i = -spread, spread do
      world.spawn("shot", { transform = { x = at.x + i * 14, y = looks.cannon - 26, angle = i * 0.12 },
        mover = { vx = i * 110 } })
    end
    world.tween(e, "transform.scale_y", 1, 0.2, "back_out", { from = 0.7 })
    world.emit("burst", { kind = "fired", x = at.x, y = looks.cannon - 26 })
  end,
}
