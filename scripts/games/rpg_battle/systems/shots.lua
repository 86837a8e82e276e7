-- Moves arrows and sparks in an arc to their target, which may move.
local parts = require "lib.parts"
return {
  query = { "shot", "transform" },
  each = function(e, dt)
    local shot, at = e.shot, e.transform
    if not parts.can_fight(shot.target) then return e:destroy() end
    local to = shot.target.transform
    local dx, dy = to.x - shot.x, to.y - 24 - shot.target.pose.height - shot.y
    local far = math.sqrt(dx * dx + dy * dy) + 1
    shot.part = shot.part + dt * shot.speed / far
    local x = shot.x + dx * shot.part
    local y = shot.y + dy * shot.part - math.sin(math.min(1, shot.part) * math.pi) * far * 0.16
    at.x, at.y, at.angle = x, y, math.atan2(y - at.y, x - at.x)
    if shot.part < 1 then return end
    world.emit("hurt", { target = shot.target, points = shot.points, kind = shot.kind })
    e:destroy()
  end,
}
