-- Background stars at fixed positions; some twinkle.
local function compute_noise(n)
  local s = math.sin(n * 12.9898) * 43758.5453
  return s - math.floor(s)
end

return {
  phase = "render",
  update = function()
    draw.space("screen")
    draw.layer(-10)
    for i = 1, 220 do
      local bright = compute_noise(i) ^ 3 * 0.8 + 0.12
      bright = bright * (i % 7 == 0 and 0.7 + 0.3 * math.sin(world.time * 2 + i) or 1)
      draw.colour(0.8, 0.87, 1, bright)
      draw.circle(compute_noise(i + 500) * 1280, compute_noise(i + 900) * 720, 0.6 + compute_noise(i + 77) ^ 6 * 1.6)
    end
  end,
}
