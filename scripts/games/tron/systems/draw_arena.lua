-- Draws the floor, the light walls, which are dim when the match is over, the gems, and the cycles with their energy.
local looks, grid = assets.json "looks.json", require "lib.grid"
local OVER = 0.3 -- opacity of the walls when the match is over
local LEFT, TOP, WIDTH, HEIGHT = looks.left, looks.top, looks.columns * looks.cell, looks.rows * looks.cell

local function set_colour(colour, alpha, white)
  local r, g, b = unpack(colour)
  draw.colour(r + (1 - r) * white, g + (1 - g) * white, b + (1 - b) * white, alpha)
end
local function draw_floor()
  for x = 0, WIDTH, looks.cell * 4 do
    draw.colour(0.10, 0.42, 0.55, x % (looks.cell * 8) == 0 and 0.26 or 0.11)
    draw.line(LEFT + x, TOP, LEFT + x, TOP + HEIGHT, 1)
    if x <= HEIGHT then draw.line(LEFT, TOP + x, LEFT + WIDTH, TOP + x, 1) end
  end
  for radius = 60, 240, 90 do -- an emblem, so that the middle of the floor is not empty
    draw.colour(0.10, 0.42, 0.55, 0.16)
    draw.circle(LEFT + WIDTH / 2, TOP + HEIGHT / 2, radius, false, radius == 150 and 10 or 3)
  end
  draw.blend("add")
  for k = 1, 5 do -- the edge pulses with the music, whose beat is 29 ticks long
    draw.colour(0.16, 0.75, 1, k == 5 and 0.9 or 0.08 + 0.06 * (1 - world.tick % 29 / 29))
    draw.rect(LEFT - k % 5 * 2, TOP - k % 5 * 2, WIDTH + k % 5 * 4, HEIGHT + k % 5 * 4, false, k == 5 and 2 or k * 3)
  end
end

local function draw_walls(q, width, alpha, white)
  for i = 1, q.count do
    local fade = q.has.lifetime[i] and q.lifetime.seconds[i] * 2 or 1
    local x1, y1 = grid.place(math.min(q.wall.x1[i], q.wall.x2[i]), math.min(q.wall.y1[i], q.wall.y2[i]))
    local x2, y2 = grid.place(math.max(q.wall.x1[i], q.wall.x2[i]), math.max(q.wall.y1[i], q.wall.y2[i]))
    set_colour(looks.colours[q.wall.side[i]] or looks.stone, alpha * fade, q.wall.solid[i] and white or 0.9)
    draw.rect(x1 - width / 2, y1 - width / 2, x2 - x1 + width, y2 - y1 + width)
  end
end
-- Draws the core of the walls: a line for the first side, longer or shorter dashes for the other sides, and nothing for
-- the arena's own walls.
local DASHES = { 0, 18, 8, 3 }
local function draw_cores(q, light)
  for i = 1, q.count do
    local side, fade = q.wall.side[i], q.has.lifetime[i] and q.lifetime.seconds[i] * 2 or 1
    local x1, y1 = grid.place(math.min(q.wall.x1[i], q.wall.x2[i]), math.min(q.wall.y1[i], q.wall.y2[i]))
    local x2, y2 = grid.place(math.max(q.wall.x1[i], q.wall.x2[i]), math.max(q.wall.y1[i], q.wall.y2[i]))
    local dash, length = DASHES[side], math.max(x2 - x1, y2 - y1)
    if dash then set_colour(looks.colours[side], 0.9 * fade * light, 0.8) end
    if dash == 0 then draw.rect(x1 - 0.8, y1 - 0.8, x2 - x1 + 1.6, y2 - y1 + 1.6) end
    for at = 0, dash and dash > 0 and length or -1, 24 do
      local size = math.min(dash, length - at)
      if y1 == y2 then draw.rect(x1 + at, y1 - 1.2, size, 2.4) else draw.rect(x1 - 1.2, y1 + at, 2.4, size) end
    end
  end
end
-- Draws the rectangles that a gem has in addition to its shape. `scale`: factor of their width.
local function draw_details(gem, position, scale)
  set_colour(looks.gems[gem.kind], 1, 0)
  for _, rect in ipairs(looks.details[gem.kind] or {}) do
    draw.rect(position.x + rect[1] * scale, position.y + rect[2], rect[3] * scale, rect[4], true)
  end
end
local function draw_circle(position, radius, colour, alpha, filled)
  set_colour(colour, alpha, 0)
  draw.circle(position.x, position.y, radius, filled, 2)
end
return {
  phase = "render",
  query = { "wall", optional = { "lifetime" } },
  update = function(q)
    draw.layer(-3)
    draw_floor()
    local light = world.single.match.phase == "over" and OVER or 1
    draw_walls(q, 15, 0.10 * light, 0)
    draw_walls(q, 9, 0.20 * light, 0)
    draw.blend("alpha")
    draw.layer(1)
    draw_walls(q, 5, light, 0)
    draw_cores(q, light)
    draw.layer(4)
    for e in world.each("gem", "transform") do
      draw_circle(e.transform, 24 + 3 * math.sin(world.tick * 0.12), looks.gems[e.gem.kind], 0.15, true)
      draw_circle(e.transform, 19 + 2 * math.sin(world.tick * 0.12), looks.gems[e.gem.kind], 0.9, false)
      draw_details(e.gem, e.transform, e.transform.scale_x)
    end
    for e in world.each("cycle", "transform") do
      local self, transform, colour = e.cycle, e.transform, looks.colours[e.cycle.side]
      draw_circle(transform, self.boost and self.energy > 0 and 30 or 21, colour, 0.2, true)
      for k = 1, self.breach do draw_circle(transform, 16 + 4 * k, looks.gems.breach, 0.85, false) end
      set_colour(colour, 0.9, self.beside > 0 and 0.5 + 0.5 * math.sin(world.tick * 0.6) or 0)
      draw.rect(transform.x - 20, transform.y + (transform.y > 660 and -30 or 26), 40 * self.energy, 4)
    end
  end,
}
