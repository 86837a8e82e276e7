-- Draws the scenes of tests/bench/draw with LÖVE's fastest means: SpriteBatches, and Text objects for constant texts.
-- Usage: love FOLDER WHAT FRAMES. A frame is one update and one draw, without waiting for vertical sync.
local what, frames = arg[#arg - 1], tonumber(arg[#arg])
local step, draw
local graphics = love.graphics

local function nothing() end

local scenes = { nothing = function() return nothing, nothing end }

function scenes.sprites()
  local count, x, y, vx, vy = 20000, {}, {}, {}, {}
  local batch = graphics.newSpriteBatch(graphics.newImage("dot.png"), count, "stream")
  for i = 1, count do
    x[i], y[i], vx[i], vy[i] = i * 7 % 1280, i * 13 % 720, i % 5 - 2, i % 3 - 1
    batch:add(x[i], y[i], 0, 1, 1, 4, 4)
  end
  return function()
    for i = 1, count do
      local nx, ny = x[i] + vx[i], y[i] + vy[i]
      if nx < 0 or nx > 1280 then vx[i] = -vx[i] end
      if ny < 0 or ny > 720 then vy[i] = -vy[i] end
      x[i], y[i] = nx, ny
    end
  end, function()
    for i = 1, count do batch:set(i, x[i], y[i], 0, 1, 1, 4, 4) end
    graphics.draw(batch)
  end, function()
    local sum = 0
    for i = 1, count do sum = sum + x[i] end
    return sum
  end
end

-- One static batch for each chunk of 50 × 50 tiles; only visible chunks are drawn.
function scenes.tiles()
  local image = graphics.newImage("tiles.png")
  local quads, chunks, tick = {}, {}, 0
  for tile = 0, 15 do quads[tile] = graphics.newQuad(tile % 4 * 16, math.floor(tile / 4) * 16, 16, 16, 64, 64) end
  for cy = 0, 19 do
    for cx = 0, 19 do
      local batch = graphics.newSpriteBatch(image, 2500, "static")
      for y = cy * 50, cy * 50 + 49 do
        for x = cx * 50, cx * 50 + 49 do batch:add(quads[((y * 1000 + x) * 7 + y * 3) % 16], x * 16, y * 16) end
      end
      chunks[cy * 20 + cx] = batch
    end
  end
  return function() tick = tick + 1 end, function()
    local left, top = tick * 3 % 14000, tick * 2 % 15000
    graphics.push()
    graphics.translate(-left, -top)
    for cy = math.floor(top / 800), math.min(19, math.floor((top + 720) / 800)) do
      for cx = math.floor(left / 800), math.min(19, math.floor((left + 1280) / 800)) do
        graphics.draw(chunks[cy * 20 + cx])
      end
    end
    graphics.pop()
  end
end

function scenes.particles()
  local system = graphics.newParticleSystem(graphics.newImage("dot.png"), 100000)
  system:setParticleLifetime(1)
  system:setEmissionRate(100000)
  system:setEmissionArea("uniform", 640, 360)
  system:setSpread(2 * math.pi)
  system:setSpeed(40, 80)
  system:setLinearAcceleration(0, 60)
  system:setSizes(1, 0.5)
  system:setColors(1, 1, 1, 1, 1, 0.5, 0.2, 0)
  for _ = 1, 64 do system:update(1 / 64) end
  return function() system:update(1 / 64) end, function() graphics.draw(system, 640, 360) end
end

function scenes.widgets()
  local font = graphics.newFont("ui.ttf", 14)
  local texts = {}
  for i = 1, 500 do texts[i] = graphics.newText(font, tostring(i)) end
  return nothing, function()
    for i = 1, 500 do
      local x, y = (i - 1) % 20 * 64, math.floor((i - 1) / 20) * 27.8
      graphics.setColor(0.05, 0.07, 0.13, 0.9)
      graphics.rectangle("fill", x, y, 63, 26, 4, 4)
      graphics.setColor(0.17, 0.23, 0.35)
      graphics.rectangle("line", x, y, 63, 26, 4, 4)
      graphics.setColor(0.9, 0.93, 0.97)
      graphics.draw(texts[i], x + 20, y + 5)
    end
    graphics.setColor(1, 1, 1)
  end
end

function scenes.letters()
  local font, texts = graphics.newFont("ui.ttf", 14), {}
  for line = 1, 100 do
    local words = ("%02d "):format(line - 1) .. ("the quick brown fox jumps over the lazy dog, "):rep(3):sub(1, 97)
    texts[line] = graphics.newText(font, words)
  end
  return nothing, function()
    for line = 1, 100 do graphics.draw(texts[line], (line - 1) % 2 * 640, math.floor((line - 1) / 2) * 14) end
  end
end

function love.run()
  local sum
  step, draw, sum = scenes[what]()
  return function()
    for _ = 1, frames do
      love.event.pump()
      step()
      graphics.origin()
      graphics.clear(0, 0, 0)
      draw()
      graphics.present()
    end
    if os.getenv("PICTURE") then
      graphics.captureScreenshot(function(data)
        io.open(os.getenv("PICTURE"), "wb"):write(data:encode("png"):getString())
      end)
      graphics.clear(0, 0, 0)
      draw()
      graphics.present()
    end
    if sum then print(("check drawn_x %d"):format(sum())) end
    return 0
  end
end
