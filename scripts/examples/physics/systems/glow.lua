-- Makes pebbles glow after a hit; the harder the hit, the brighter the glow. The plugin's event `contact_begin` has
-- fields for position, normal, depth, speed and impulse.
local function warm(e, impulse)
  if e:alive() and e:has("glow") then
    e.glow.heat = math.min(1.6, e.glow.heat + impulse / 220)
  end
end

return {
  query = { "glow", "pebble", "shape" },
  on = {
    contact_begin = function(ev)
      for i = 1, ev.count do
        if ev.impulse[i] > 35 then
          warm(ev.a[i], ev.impulse[i])
          warm(ev.b[i], ev.impulse[i])
        end
      end
    end,
  },
  precision = "single",
  update = function(q, dt)
    local heats, pebble, colour = q.glow.heat, q.pebble, q.shape.colour
    for i = 1, q.count do
      local heat = heats[i]
      heats[i] = heat * (1 - 2.5 * dt)
      colour.r[i] = pebble.r[i] * (0.55 + heat) + 0.5 * heat
      colour.g[i] = pebble.g[i] * (0.55 + heat) + 0.25 * heat
      colour.b[i] = pebble.b[i] * (0.55 + heat)
    end
  end,
}
