-- Moves arrows and sparks in an arc to their target, which may move.
local parts = require "lib.parts"
return {
  query = { "shot", "transform" },
  each = function(e, dt)
    local shot, transform = e.shot, e.transform
    if not parts.can_fight(shot.target) then return e:destroy() end
    local target_transform = shot.target.transform
    local dx, dy = target_transform.x - shot.x, target_transform.y - 24 - shot.target.pose.height - shot.y
    local distance = math.sqrt(dx * dx + dy * dy) + 1
    shot.part = shot.part + dt * shot.speed / distance
    local x = shot.x + dx * shot.part
    local y = shot.y + dy * shot.part - math.sin(math.min(1, shot.part) * math.pi) * distance * 0.16
    transform.x, transform.y, transform.angle = x, y, math.atan2(y - transform.y, x - transform.x)
    if shot.part < 1 then return end
    world.emit("hurt", { target = shot.target, points = shot.points, kind = shot.kind })
    e:destroy()
  end,
}
