-- Moves the bees; the pitch of an approaching bee rises (Doppler effect).
local HALF_WIDTH, HALF_HEIGHT, SOUND = 640, 360, 2200 -- SOUND: speed of sound (pixels/s)

return {
  query = { "orbit", "orbit_pitch", "transform", "sound" },
  update = function(q, dt)
    for i = 1, q.count do
      local turn = q.orbit.turn[i] + q.orbit.speed[i] * dt
      local x, y = math.cos(turn) * q.orbit.width[i], math.sin(turn) * q.orbit.height[i]
      local before_x, before_y = q.transform.x[i] - HALF_WIDTH, q.transform.y[i] - HALF_HEIGHT
      local nearing = (math.sqrt(before_x * before_x + before_y * before_y) - math.sqrt(x * x + y * y)) / dt
      q.orbit.turn[i] = turn
      q.transform.x[i], q.transform.y[i] = HALF_WIDTH + x, HALF_HEIGHT + y
      q.sound.pitch[i] = q.orbit_pitch.base[i] * SOUND / (SOUND - math.max(-900, math.min(900, nearing)))
    end
  end,
}
