-- Generates the icons of the games, which windows and packages show: `luajit scripts/build/icons.lua [FOLDER]` writes
-- FOLDER/GAME/assets/icon.png for each game (default: scripts/games). Without FOLDER, it also writes the icon for games
-- that have none (assets/pictures/shoal.png).
local scripts = (arg[0]:match("^(.*)/") or ".") .. "/.."
local paint = dofile(scripts .. "/build/paint.lua")
local circle, box, path, polygon, bitmap, outline = paint.circle, paint.box, paint.path, paint.polygon, paint.bitmap,
  paint.outline
local SIZE = 128

-- Strokes a shape as a glowing line.
local function neon(canvas, hex, shape)
  canvas.glow(hex, shape, 0.3, 0.55)
  canvas.fill(hex, shape)
end

local icons = {}

function icons.asteroids(canvas)
  canvas.gradient("#141a3c", "#05060f")
  neon(canvas, "#8f7bf0", outline(polygon { 0.2, -0.72, 0.5, -0.8, 0.78, -0.52, 0.72, -0.16, 0.42, -0.02, 0.12, -0.2,
    0.2, -0.44, 0.06, -0.56 }, 0.07))
  neon(canvas, "#e070c8", outline(polygon { -0.74, -0.5, -0.52, -0.66, -0.32, -0.5, -0.38, -0.24, -0.66, -0.22 }, 0.06))
  local ship = polygon { 0.28, 0.06, 0.02, 0.78, -0.2, 0.44, -0.6, 0.36 }
  canvas.fill("#0d1c30", ship)
  neon(canvas, "#8ff0ff", outline(ship, 0.09))
end

function icons.rectangle_eater(canvas)
  canvas.gradient("#f7f3e8", "#efe9d8")
  canvas.fill("#f2c11d", box(0.62, -0.62, 0.7, 0.7))
  canvas.fill("#214fa8", box(-0.74, 0.7, 0.5, 0.56))
  canvas.fill("#141414", box(0.27, -0.7, 0.1, 0.6))
  canvas.fill("#141414", box(0.62, -0.27, 0.7, 0.1))
  canvas.fill("#141414", box(-0.05, 0.14, 1.14, 1.14))
  canvas.fill("#ffffff", box(-0.05, 0.14, 0.96, 0.96))
  for _, x in ipairs { -0.28, 0.2 } do
    canvas.fill("#141414", box(x, 0, 0.34, 0.34))
    canvas.fill("#ffffff", box(x, 0, 0.24, 0.24))
    canvas.fill("#141414", box(x + 0.05, 0.05, 0.12, 0.12))
  end
  canvas.fill("#141414", box(-0.02, 0.42, 0.56, 0.26))
  canvas.fill("#d6281f", box(-0.02, 0.42, 0.46, 0.16))
end

function icons.tron(canvas)
  canvas.gradient("#06202c", "#02060c")
  for i = -2, 2 do
    canvas.fill("#17566b", box(i * 0.4, 0, 0.02, 1.9), 0.5)
    canvas.fill("#17566b", box(0, i * 0.4, 1.9, 0.02), 0.5)
  end
  neon(canvas, "#ff8a1e", path(0.06, { 0.8, 0.4, 0.8, -0.6, 0.2, -0.6, 0.2, 0 }))
  neon(canvas, "#4debff", path(0.06, { -0.8, -0.4, -0.8, 0.6, -0.2, 0.6, -0.2, -0.2, 0.08, -0.2 }))
  canvas.fill("#ffffff", circle(0.08, -0.2, 0.1))
  canvas.fill("#ffffff", polygon { 0.2, 0.14, 0.06, -0.02, 0.34, -0.02 })
end

function icons.rpg_battle(canvas)
  canvas.gradient("#f3c98b", "#a8b060")
  canvas.fill("#fff0c8", circle(0.42, -0.45, 0.26))
  canvas.fill("#3b2616", path(0.17, { -0.5, 0.5, 0.55, -0.55 }))
  canvas.fill("#e8eef4", path(0.1, { -0.2, 0.2, 0.54, -0.54 }))
  canvas.fill("#b5482f", path(0.09, { -0.5, 0.5, -0.3, 0.3 }))
  canvas.fill("#3b2616", path(0.11, { -0.5, 0.06, -0.06, 0.5 }))
  canvas.fill("#e2c48a", path(0.06, { -0.48, 0.08, -0.08, 0.48 }))
  local shield = polygon { 0.02, 0.14, 0.42, 0.04, 0.82, 0.14, 0.78, 0.56, 0.42, 0.84, 0.06, 0.56 }
  canvas.fill("#3a68b0", shield)
  canvas.fill("#f7d88c", box(0.42, 0.42, 0.09, 0.7))
  canvas.fill("#f7d88c", box(0.42, 0.36, 0.68, 0.09))
  canvas.fill("#3b2616", outline(shield, 0.09))
end

function icons.bounty_hunter(canvas)
  canvas.gradient("#e9c98a", "#c08a4a")
  local points = {}
  for i = 0, 9 do
    local angle, reach = math.pi * (i / 5 - 0.5), i % 2 == 0 and 0.78 or 0.36
    points[2 * i + 1], points[2 * i + 2] = math.cos(angle) * reach, math.sin(angle) * reach + 0.04
  end
  local star = polygon(points)
  for i = 1, 9, 2 do canvas.fill("#3a2216", circle(points[2 * i - 1] * 0.99, points[2 * i], 0.15)) end
  canvas.fill("#3a2216", outline(star, 0.14))
  for i = 1, 9, 2 do canvas.fill("#f4d35e", circle(points[2 * i - 1] * 0.99, points[2 * i], 0.09)) end
  canvas.fill("#f4d35e", star)
  canvas.fill("#b5332c", circle(0, 0.04, 0.24))
  canvas.fill("#3a2216", outline(circle(0, 0.04, 0.24), 0.07))
end

function icons.invaders(canvas)
  canvas.gradient("#111a3a", "#04060f")
  local alien = bitmap(-0.75, -0.75, 0.125, { "..##....##..", ".#..####..#.", "..########..", ".##########.",
    "##..####..##", "##.#.##.#.##", "############", ".####..####.", "..##.##.##..", ".##......##." })
  canvas.fill("#5cffa0", alien)
  canvas.fill("#4debff", box(0, 0.78, 0.6, 0.16))
  canvas.fill("#4debff", box(0, 0.66, 0.16, 0.2))
end

function icons.pong(canvas)
  canvas.gradient("#101536", "#05060f")
  canvas.fill("#3a4a8c", box(0, -0.6, 0.04, 0.3))
  canvas.fill("#3a4a8c", box(0, 0.6, 0.04, 0.3))
  neon(canvas, "#37e0ff", box(-0.68, -0.12, 0.16, 0.86, 0.05))
  neon(canvas, "#ff4fa3", box(0.68, 0.16, 0.16, 0.86, 0.05))
  for i = 4, 1, -1 do
    canvas.fill("#ffffff", circle(0.28 - i * 0.14, 0.06 + i * 0.06, 0.16 - i * 0.02), 0.34 - 0.07 * i)
  end
  neon(canvas, "#ffffff", circle(0.28, 0.06, 0.16))
end

function icons.lantern(canvas)
  canvas.gradient("#2a2447", "#0e0b16")
  canvas.glow("#f0a456", circle(0, 0.14, 0.3), 0.75, 0.75)
  local function pixels(hex, rows) canvas.fill(hex, bitmap(-0.75, -0.9, 0.125, rows)) end
  pixels("#575a84", { "", "....####....", "...#....#...", "...#....#...", "...######...", "..########..",
    "..#......#..", "..#......#..", "..#......#..", "..#......#..", "..#......#..", "..########..", "...######..." })
  pixels("#ffe186", { "", "", "", "", "", "", "...######...", "...######...", "...######...", "...######...",
    "...######..." })
  pixels("#f0a456", { "", "", "", "", "", "", "...##..##...", "...#....#...", "...#....#...", "...##..##...",
    "...######..." })
  pixels("#ffffff", { "", "", "", "", "", "", "", "", ".....##.....", ".....##....." })
end

function icons.hamlet(canvas)
  canvas.gradient("#98c85c", "#3b8560")
  canvas.fill("#0e0b16", circle(0.28, 0.42, 0.5))
  canvas.fill("#b8683f", circle(0.28, 0.42, 0.42))
  canvas.fill("#f0a456", circle(0.24, 0.37, 0.34))
  canvas.fill("#ffe186", circle(0.18, 0.3, 0.2))
  canvas.fill("#0e0b16", path(0.24, { -0.62, 0.68, 0.3, -0.3 }))
  canvas.fill("#70403b", path(0.13, { -0.6, 0.66, 0.3, -0.3 }))
  local head = polygon { -0.42, -0.76, 0.12, -0.72, 0.56, -0.44, 0.8, 0.06, 0.4, -0.2, 0.06, -0.42 }
  canvas.fill("#8c93b4", head)
  canvas.fill("#f3ead2", polygon { -0.42, -0.76, 0.12, -0.72, 0.56, -0.44, 0.1, -0.58 })
  canvas.fill("#0e0b16", outline(head, 0.08))
end

-- Three fish of a shoal.
local function shoal_icon(canvas)
  canvas.gradient("#123a5c", "#04101f")
  local function fish(hex, x, y, size)
    local function at(points)
      for i = 1, #points, 2 do points[i], points[i + 1] = x + points[i] * size, y + points[i + 1] * size end
      return polygon(points)
    end
    canvas.fill(hex, at { -0.6, 0, -0.4, -0.2, -0.08, -0.3, 0.22, -0.22, 0.44, -0.06, 0.44, 0.06, 0.22, 0.22,
      -0.08, 0.3, -0.4, 0.2 })
    canvas.fill(hex, at { 0.34, 0, 0.76, -0.28, 0.68, 0, 0.76, 0.28 })
    canvas.fill("#04101f", circle(x - 0.34 * size, y - 0.06 * size, 0.06 * size))
  end
  fish("#1f6f93", 0.3, -0.5, 0.62)
  fish("#37a6c9", 0.34, 0.54, 0.7)
  fish("#8ff0ff", -0.16, 0, 0.98)
end

local function write(file, paint_icon)
  local canvas = paint.canvas(SIZE)
  paint_icon(canvas)
  canvas.clip(box(0, 0, 1.94, 1.94, 0.4))
  paint.write(file, { canvas })
end

for game, paint_icon in pairs(icons) do
  write((arg[1] or scripts .. "/games") .. "/" .. game .. "/assets/icon.png", paint_icon)
end
if not arg[1] then write(scripts .. "/../assets/pictures/shoal.png", shoal_icon) end
