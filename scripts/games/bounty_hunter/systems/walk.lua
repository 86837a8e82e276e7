-- Moves hunters by their intent. A load slows them; after a dash, they have to wait before they can dash again.
local SPEED, SLIDE, DASH, SECONDS, REST, PI = 300, 11, 660, 0.2, 1.1, math.pi
return {
  when = { match = { phase = { "title", "hunt", "tally" } } },
  query = { "hunter", "motion", "train", "dash", "intent", "transform", "emitter" },
  each = function(e, dt)
    local motion, dash, transform, intent = e.motion, e.dash, e.transform, e.intent
    dash.left, dash.rest, dash.dazed = dash.left - dt, dash.rest - dt, dash.dazed - dt
    local is_dazed = dash.dazed > 0
    if intent.dash and dash.rest <= 0 and not is_dazed then
      dash.left, dash.rest = SECONDS, REST
      if intent.x ~= 0 or intent.y ~= 0 then transform.angle = math.atan2(intent.y, intent.x) end
      world.emit("dashed", { x = transform.x, y = transform.y, player = e.hunter.home.stash.player })
    end
    local speed = is_dazed and 0 or SPEED * math.max(0.56, 1 - 0.05 * e.train.load)
    local is_dashing, share = dash.left > 0, math.min(1, SLIDE * dt)
    motion.vx = is_dashing and math.cos(transform.angle) * DASH or motion.vx + (intent.x * speed - motion.vx) * share
    motion.vy = is_dashing and math.sin(transform.angle) * DASH or motion.vy + (intent.y * speed - motion.vy) * share
    transform.x = math.max(24, math.min(1256, transform.x + motion.vx * dt))
    transform.y = math.max(84, math.min(696, transform.y + motion.vy * dt))
    local speed_squared = motion.vx * motion.vx + motion.vy * motion.vy
    local angle_difference = (math.atan2(motion.vy, motion.vx) - transform.angle + PI) % (2 * PI) - PI
    transform.angle = transform.angle + (is_dazed and 15 * dt or speed_squared > 900
      and angle_difference * math.min(1, 14 * dt) or 0)
    e.emitter.enabled = speed_squared > 10000
  end,
}
