-- Moves hunters by their intent. A load slows them; after a dash, they have to wait before they can dash again.
local SPEED, SLIDE, DASH, SECONDS, REST, PI = 300, 11, 660, 0.2, 1.1, math.pi
return {
  when = { match = { phase = { "title", "hunt", "tally" } } },
  query = { "hunter", "motion", "train", "dash", "intent", "transform", "emitter" },
  each = function(e, dt)
    local motion, dash, at, intent = e.motion, e.dash, e.transform, e.intent
    dash.left, dash.rest, dash.dazed = dash.left - dt, dash.rest - dt, dash.dazed - dt
    local dazed = dash.dazed > 0
    if intent.dash and dash.rest <= 0 and not dazed then
      dash.left, dash.rest = SECONDS, REST
      if intent.x ~= 0 or intent.y ~= 0 then at.angle = math.atan2(intent.y, intent.x) end
      world.emit("dashed", { x = at.x, y = at.y, player = e.hunter.home.stash.player })
    end
    local speed = dazed and 0 or SPEED * math.max(0.56, 1 - 0.05 * e.train.load)
    local dashes, share = dash.left > 0, math.min(1, SLIDE * dt)
    motion.vx = dashes and math.cos(at.angle) * DASH or motion.vx + (intent.x * speed - motion.vx) * share
    motion.vy = dashes and math.sin(at.angle) * DASH or motion.vy + (intent.y * speed - motion.vy) * share
    at.x = math.max(24, math.min(1256, at.x + motion.vx * dt))
    at.y = math.max(58, math.min(696, at.y + motion.vy * dt))
    local fast = motion.vx * motion.vx + motion.vy * motion.vy
    local off = (math.atan2(motion.vy, motion.vx) - at.angle + PI) % (2 * PI) - PI
    at.angle = at.angle + (dazed and 15 * dt or fast > 900 and off * math.min(1, 14 * dt) or 0)
    e.emitter.enabled = fast > 10000
  end,
}
