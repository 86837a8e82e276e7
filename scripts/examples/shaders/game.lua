-- Shaders: an evening by the sea with four passes, declared in shaders.lua. The sliders change the uniforms of the
-- passes. Uniforms are fields of singletons, and are therefore saved, rewound and visible in SQL. Change one of the
-- .frag files while this runs.
local HILLS = { { -40, 300, "#2a2250" }, { 180, 250, "#332a60" }, { 420, 330, "#241c46" }, { 760, 290, "#2e2658" },
  { 1080, 340, "#221a42" }, { 1290, 260, "#30285c" } }

return {
  title = "Shaders",
  width = 1280,
  height = 720,
  addons = { "caption" },
  start = function()
    world.spawn("eye")
    for i = 0, 11 do
      world.spawn("sky", { transform = { x = 640, y = 20 + i * 40 },
        shape = { colour = { 0.12 + 0.075 * i, 0.1 + 0.036 * i, 0.36 + 0.012 * i, 1 } } })
    end
    world.spawn("sun", { transform = { x = 850, y = 330 } })
    for _, hill in ipairs(HILLS) do
      world.spawn("hill", { transform = { x = hill[1], y = 560 },
        shape = { radius = hill[2] * 0.8, colour = hill[3] } })
    end
    world.spawn("sea", { transform = { x = 640, y = 600 } })
    world.spawn("boat")
    world.spawn("birds", { transform = { x = 1400, y = 160 } })
    world.spawn("panel")
  end,
}
