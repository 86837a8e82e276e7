-- The cannon, controlled by the player's input or, in the demo, by an AI.
local looks, choose_action = assets.json "looks.json", require "lib.pilot"
local SPEED, SLIDE, RELOAD, RAPID_RELOAD, SHOTS = 560, 16, 0.28, 0.15, 3
return {
  when = { match = { phase = { "ready", "play" } } },
  fields = { speed = 0, reload = 0, grace = 2 }, -- grace: remaining invulnerability in seconds
  update = function(self, dt)
    local e, transform, match = self.entity, self.entity.transform, world.single.match
    local direction, fires = input.axis("move"), input.down("fire")
    if match.demo then direction, fires = choose_action(transform.x) end
    self.speed = self.speed + (direction * SPEED - self.speed) * math.min(1, SLIDE * dt)
    transform.x = math.max(looks.left, math.min(looks.right, transform.x + self.speed * dt))
    transform.angle = self.speed * 0.00016
    self.reload, self.grace = self.reload - dt, self.grace - dt
    e.sprite.visible = self.grace <= 0 or world.tick % 8 < 5
    if fires and self.reload <= 0 and match.phase == "play" then self:fire() end
  end,
  fire = function(self)
    local e, x = self.entity, self.entity.transform.x
    local spread, is_rapid = e:has("triple") and 1 or 0, e:has("rapid")
    if world.count("shot") >= SHOTS * (1 + 2 * spread) * (is_rapid and 2 or 1) then return end
    self.reload = is_rapid and RAPID_RELOAD or RELOAD
    for i = -spread, spread do
      world.spawn("shot", { transform = { x = x + i * 14, y = looks.cannon_y - 26, angle = i * 0.12 },
        mover = { vx = i * 110 } })
    end
    world.tween(e, "transform.scale_y", 1, 0.2, "back_out", { from = 0.7 })
    world.emit("burst", { kind = "fired", x = x, y = looks.cannon_y - 26 })
  end,
}
