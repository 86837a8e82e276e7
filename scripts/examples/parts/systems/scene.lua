-- Draws the two pictures: the village with the villager, and the sky with the monster, which the clouds pass while it
-- rises.
local pen = require "lib.pen"
local DUSK = { { 0.17, 0.16, 0.36 }, { 0.62, 0.33, 0.47 }, { 0.98, 0.66, 0.42 } } -- top, middle and bottom of the sky
local NIGHT = { { 0.03, 0.03, 0.10 }, { 0.07, 0.07, 0.20 }, { 0.15, 0.13, 0.32 } }
local TOP, BOTTOM = 24, 430

local function mix(a, b, part, i) return a[i] + (b[i] - a[i]) * part end

local function draw_sky(x, width, night)
  draw.layer(-20)
  for band = 0, 57 do
    local part, from = band / 57 * 2, band < 29 and 1 or 2
    local rgb = {}
    for i = 1, 3 do
      local dusk = mix(DUSK[from], DUSK[from + 1], part - from + 1, i)
      rgb[i] = dusk + (mix(NIGHT[from], NIGHT[from + 1], part - from + 1, i) - dusk) * night
    end
    draw.colour(rgb)
    draw.rect(x, TOP + band * 7, width, 7)
  end
end

local function draw_stars(x, width, night, shift)
  for i = 1, 70 do
    local twinkle = 0.55 + 0.45 * math.sin(world.time * 2 + i)
    local place = (i * 97.3 + shift * 0.05) % 400
    draw.colour(1, 0.96, 0.85, twinkle * math.max(0, night - place / 900))
    draw.circle(x + (i * 173.9) % width, TOP + place, i % 5 == 0 and 2.4 or 1.5)
  end
end

local function draw_cloud(x, y, size, night)
  draw.colour(0.86 - 0.56 * night, 0.66 - 0.40 * night, 0.68 - 0.24 * night)
  for _, puff in ipairs { { -44, 6, 22 }, { -16, -8, 32 }, { 20, -2, 27 }, { 48, 8, 19 } } do
    draw.circle(x + puff[1] * size, y + puff[2] * size, puff[3] * size)
  end
end

local function draw_house(x, y, size, wall)
  pen.polygon({ x, y, x + size, y, x + size, y - size * 0.7, x, y - size * 0.7 }, wall)
  pen.polygon({ x - 10, y - size * 0.66, x + size + 10, y - size * 0.66, x + size / 2, y - size * 1.25 }, "#6b2f3c")
  for side = 0, 1 do
    pen.polygon({ x + size * (0.16 + 0.44 * side), y - size * 0.5, x + size * (0.4 + 0.44 * side), y - size * 0.5,
      x + size * (0.4 + 0.44 * side), y - size * 0.24, x + size * (0.16 + 0.44 * side), y - size * 0.24 }, "#ffd66b")
  end
end

local function draw_hills(x, width, y, height, waves, colour)
  local points = { x + width, BOTTOM + 500, x, BOTTOM + 500 }
  for step = 0, 24 do
    points[#points + 1] = x + width * step / 24
    points[#points + 1] = y - height * math.sin(step / 24 * waves + x) ^ 2
  end
  draw.colour(colour)
  draw.polygon(points)
end

-- Draws a villager. A villager without health lies on the ground, because no part removes it.
local function draw_villager(x, y, health, shock)
  local function draw_body(points, colour)
    for i = 1, #points, 2 do
      local px, py = points[i], points[i + 1]
      if health <= 0 then px, py = -py - 70, px * 0.8 - 26 end
      points[i], points[i + 1] = x + px + 5 * shock * math.sin(world.time * 60), y + py
    end
    return points, colour
  end
  local function draw_disc(px, py, radius, colour)
    local at = draw_body({ px, py })
    pen.disc(at[1], at[2], radius, colour)
  end
  pen.polygon(draw_body({ -16, 0, -3, 0, -3, -40, -16, -40 }, "#4a4f78"))
  pen.polygon(draw_body({ 16, 0, 3, 0, 3, -40, 16, -40 }, "#4a4f78"))
  local up = health > 0 and 30 + 12 * math.sin(world.time * 9) or 0
  pen.polygon(draw_body({ -26, -34, 26, -34, 18, -92, -18, -92 }, "#3f8f8a"))
  pen.polygon(draw_body({ -18, -90, -50, -92 - up, -42, -100 - up, -14, -78 }, "#3f8f8a"))
  pen.polygon(draw_body({ 18, -90, 50, -92 - up, 42, -100 - up, 14, -78 }, "#3f8f8a"))
  draw_disc(-49, -99 - up, 8, "#f2c79b")
  draw_disc(49, -99 - up, 8, "#f2c79b")
  draw_disc(0, -116, 29, "#f2c79b")
  pen.polygon(draw_body({ -42, -130, 42, -130, 26, -138, 16, -162, -16, -162, -26, -138 }, "#e0b352"))
  for side = -1, 1, 2 do
    if health > 0 then
      draw_disc(side * 11, -117, 7, "#ffffff")
      draw_disc(side * 11 + 2, -118, 1, "#2a1f2d")
    else
      local at = draw_body({ side * 11 - 5, -122, side * 11 + 5, -112, side * 11 + 5, -122, side * 11 - 5, -112 })
      draw.line(at[1], at[2], at[3], at[4], 3)
      draw.line(at[5], at[6], at[7], at[8], 3)
    end
  end
  draw_disc(0, -99, health > 0 and 4 + 3 * shock or 2, "#7a2f2f")
end

local function draw_monster(e)
  local x, y = pen.monster(e)
  local awake = e:has("MonsterControllerPart")
  draw.layer(1)
  for side = -1, 1, 2 do
    local horn = { x + side * 30, y - 58, x + side * 62, y - 66, x + side * 80, y - 112, x + side * 40, y - 86 }
    pen.polygon(horn, "#f4ead2")
    pen.disc(x + side * 40, y + 66, 18, "#6a4a9a")
    pen.disc(x + side * 80, y + 10 + 5 * math.sin(world.time * 3 + side), 20, "#6a4a9a")
  end
  pen.disc(x, y, 78, "#7f5ab5")
  draw.colour("#a987d8")
  draw.circle(x, y + 26, 46)
  for side = -1, 1, 2 do
    pen.disc(x + side * 31, y - 18, 19, "#ffe27a")
    draw.colour(awake and "#c8301f" or "#2a1f2d")
    draw.circle(x + side * 31 - 6, y - 13, 8)
    if not awake then
      draw.colour("#6a4a9a")
      draw.rect(x + side * 31 - 17, y - 36, 34, 18)
    end
  end
  pen.polygon({ x - 34, y + 18, x + 34, y + 18, x + 22, y + 42, x - 22, y + 42 }, "#4a1f3a")
  draw.colour("#f4ead2")
  for tooth = -1, 1 do
    draw.polygon { x + tooth * 20 - 8, y + 20, x + tooth * 20 + 8, y + 20, x + tooth * 20, y + 33 }
  end
end

return {
  phase = "render",
  update = function()
    local villager, monster = world.find("villager"), world.find("monster")
    local height = monster and monster.pose.height or 0
    local night = math.min(1, height / 700)
    draw_sky(516, 740, night)
    draw_sky(24, 476, 0)
    draw.layer(-19)
    draw_stars(516, 740, night, height)
    pen.disc(1130, 110 + math.min(30, height * 0.02), 34, "#fff1c4")
    draw.layer(-18)
    for i = 1, 9 do
      local y = 400 - (i * 170 - height * 1.6) % 1530
      draw_cloud(516 + (i * 271) % 740, y, 0.8 + 0.1 * (i % 4), night)
    end
    draw_cloud(120 + 30 * math.sin(world.time * 0.1), 110, 0.8, 0.25)
    draw_cloud(390 - 30 * math.sin(world.time * 0.13), 70, 0.6, 0.4)
    local ground = math.max(0, height - 100)
    draw.layer(-17)
    draw_hills(24, 476, 330, 60, 7, "#5a3a58")
    draw_hills(516, 740, 340 + ground, 70, 9, "#5a3a58")
    draw.layer(-16)
    draw_house(50, 366, 90, "#c98a5c")
    draw_house(372, 362, 76, "#b87a62")
    draw.layer(-15)
    draw_hills(24, 476, 372, 12, 4, "#3c4a3a")
    draw_hills(516, 740, 400 + ground, 14, 6, "#3c4a3a")
    draw.layer(1)
    local controller = monster and monster:has("MonsterControllerPart") and monster.MonsterControllerPart
    local shock = controller and controller.hits > 0 and math.max(0, 1 - controller.clock / 0.4) or 0
    if villager then draw_villager(262, 400, villager:has("StatsPart") and villager.StatsPart.health or 1, shock) end
    if monster then draw_monster(monster) end
  end,
}
