-- Moves hunters by their intent. A load slows them; after a dash, they have to wait before they can dash again.
local SPEED, SLIDE, DASH, SECONDS, REST, PI = 300, 11, 660, 0.2, 1.1, math.pi
return {
  after = "wits",
  when = { match = { phase = { "title", "hunt", "tally" } } },
  query = { "hunter", "intent", "transform", "emitter" },
  each = function(e, dt)
    local hunter, at, intent = e.hunter, e.transform, e.intent
    hunter.dash, hunter.rest, hunter.dazed = hunter.dash - dt, hunter.rest - dt, hunter.dazed - dt
    local dazed = hunter.dazed > 0
    if intent.dash and hunter.rest <= 0 and not dazed then
      hunter.dash, hunter.rest = SECONDS, REST
      if intent.x ~= 0 or intent.y ~= 0 then at.angle = math.atan2(intent.y, intent.x) end
      world.emit("dashed", { x = at.x, y = at.y, player = hunter.home.stash.player })
    end
    local speed = dazed and 0 or SPEED * math.max(0.56, 1 - 0.05 * hunter.load)
    local dashes, share = hunter.dash > 0, math.min(1, SLIDE * dt)
    hunter.vx = dashes and math.cos(at.angle) * DASH or hunter.vx + (intent.x * speed - hunter.vx) * share
    hunter.vy = dashes and math.sin(at.angle) * DASH or hunter.vy + (intent.y * speed - hunter.vy) * share
    at.x = math.max(24, math.min(1256, at.x + hunter.vx * dt))
    at.y = math.max(58, math.min(696, at.y + hunter.vy * dt))
    local fast = hunter.vx * hunter.vx + hunter.vy * hunter.vy
    local off = (math.atan2(hunter.vy, hunter.vx) - at.angle + PI) % (2 * PI) - PI
    at.angle = at.angle + (dazed and 15 * dt or fast > 900 and off * math.min(1, 14 * dt) or 0)
    e.emitter.on = fast > 10000
  end,
}
