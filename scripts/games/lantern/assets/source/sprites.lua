-- Characters, effects and objects, drawn in letters of the palette and joined into strips of frames.
local canvas = require "canvas"
local new, strip = canvas.new, canvas.strip

local M = {}

-- --- the hero, a lamplighter

local body = {
  down = [[
    .....kkkkkk.....
    ....kroorrrk....
    ...krorrrrrrk...
    ...krreeeerrk...
    ...krekeekerk...
    ...krekeekerk...
    ...kkeeeeeekk...
    ....kdooook.....
    ...kreyyyyerk...
    ..krrryyyyrrrk..
    ..kerrrrrrrrek..
    ..kkdrrrrrrdkk..
    ....kdrrrrdk....]],
  up = [[
    .....kkkkkk.....
    ....kroorrrk....
    ...krorrrrrrk...
    ...krrrrrrrrk...
    ...krrrrrrrrk...
    ...kdrrrrrrdk...
    ...kkdrrrrdkk...
    ....kddddddk....
    ...krrrddrrrk...
    ..krrrrddrrrrk..
    ..kerrrddrrrek..
    ..kkdrrddrrdkk..
    ....kdrddrdk....]],
  side = [[
    .....kkkkk......
    ....kroorrkk....
    ...krorrrrrrk...
    ...krrrrreeek...
    ...kdrrreekek...
    ...kdrrreekek...
    ...kkdrreeeek...
    ....kddroook....
    ....krryyyyk....
    ...krrrrryrk....
    ...krrrrerrk....
    ...kkdrrerdk....
    ....kdrrrdk.....]],
}

-- Draws both legs. a, b: pixels by which the left and the right foot are lifted or, in the side view, moved sideways.
local function draw_legs(c, side, a, b, bob)
  if side then
    c:draw("kbbk\nkkkk", 4 + a, 14 - math.max(0, bob))
    c:draw("kbbk\nkkkk", 4 + b, 14)
  else
    c:draw("kbbk\nkkkk", 4, 14 - a)
    c:draw("kbbk\nkkkk", 8, 14 - b)
  end
end

local function draw_lantern(c, x, y)
  c:draw([[
    .kk.
    kyyk
    kwyk
    kkkk]], x, y)
end

local function draw_hero_frame(dir, a, b, bob, strikes)
  local c = new(16, 16)
  draw_legs(c, dir == "side", a, b, 0)
  if dir == "up" and not strikes then draw_lantern(c, 12, 9 + bob) end
  c:draw(body[dir], 0, 1 + bob)
  if dir == "side" then draw_lantern(c, strikes and 2 or 8, 10 + bob) end
  if dir == "down" then draw_lantern(c, strikes and 11 or 12, 9 + bob) end
  return c
end

function M.hero()
  local frames = {}
  for _, direction in ipairs { "down", "up", "side" } do
    local function add(...) frames[#frames + 1] = draw_hero_frame(direction, ...) end
    local is_side = direction == "side"
    add(0, is_side and 2 or 0, 0)
    add(0, is_side and 2 or 0, 1)
    add(is_side and -1 or 1, is_side and 3 or 0, 0)
    add(0, is_side and 1 or 0, is_side and -1 or 0)
    add(is_side and 3 or 0, is_side and -1 or 1, 0)
    add(is_side and -1 or 0, is_side and 4 or 0, 1, true)
  end
  return strip(frames)
end

-- --- the keeper of the yard

local keeper = [[
    .....kkkkkk.....
    ....kttttttk....
    ...kttttttttk...
    ...ktteeeettk...
    ...ktekeeketk...
    ...kteeooeetk...
    ...kkwwwwwwkk...
    ....kwwwwwwk....
    ...ktgwwwwgtk...
    ..kttfgwwgfttk..
    ..kettfggfttek..
    ..kkttffffttkk..
    ....kttffttk....
    ....ktttttttk...
    ....kkkkkkkk....]]

function M.keeper()
  local a, b = new(16, 16):draw(keeper, 0, 1), new(16, 16)
  b:draw(keeper, 0, 1)
  for x = 0, 15 do for y = 14, 2, -1 do b:clear(x, y) end end
  b:draw(keeper, 0, 2)
  b:rect(0, 15, 16, 1, ".")
  for i, c in ipairs { a, b } do
    c:draw("b\nb\nb\nb\nb\nb\nb\nb", 14, 7)
    c:draw(i == 1 and "kyk\nyey\nkyk" or "yyk\nyey\nkyy", 13, 4)
  end
  return strip { a, b }
end

-- --- the foes

local slimes = { [[
    ................
    ................
    ................
    ................
    ................
    ................
    ......kkkk......
    ....kkllllkk....
    ...kllwlllllk...
    ..kllwllllllfk..
    ..klllkllklllk..
    .kllllkllkllffk.
    .kfllllllllffffk
    .kfffllllffffffk
    .kkfffffffffttkk
    ...kkkkkkkkkkk..]], [[
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    ................
    .....kkkkkk.....
    ...kkllllllkk...
    ..kllwlllllllk..
    .kllwlkllklllfk.
    kfllllkllkllfffk
    kffllllllllffffk
    kkffffffffffttkk
    ..kkkkkkkkkkkk..]], [[
    ................
    ................
    ................
    ......kkkk......
    .....kllllk.....
    ....kllwlllk....
    ...kllwllllfk...
    ...klllkllklk...
    ...klllkllkfk...
    ...kllllllffk...
    ...kflllllffk...
    ...kfflllfffk...
    ....kfffffttk...
    .....kkkkkkk....
    ................
    ................]] }

function M.slime()
  local frames = {}
  for i, drawing in ipairs(slimes) do frames[i] = new(16, 16):draw(drawing) end
  return strip(frames)
end

local bats = { [[
    ................
    ................
    .kk..........kk.
    kvsk........ksvk
    kvvsk.k..k.ksvvk
    kvvvskvkkvksvvvk
    .kvvvvvvvvvvvvk.
    .kvkvvrvvrvvkvk.
    ..k.kvvvvvvk.k..
    .....kwvvwk.....
    ......kkkk......
    ................
    ................
    ................
    ................
    ................]], [[
    ................
    ................
    ................
    ................
    ......k..k......
    .....kvkkvk.....
    .kkkkvvvvvvkkkk.
    kssvvvrvvrvvvssk
    kvvvvvvvvvvvvvvk
    kvkkvkwvvwkvkkvk
    .k..k.kkkk.k..k.
    ................
    ................
    ................
    ................
    ................]], [[
    ................
    ................
    ................
    ................
    ......k..k......
    .....kvkkvk.....
    ....kvvvvvvk....
    ...kvvrvvrvvk...
    ..kvvvvvvvvvvk..
    .kvvvkwvvwkvvvk.
    kvsvk.kkkk.kvsvk
    kssk........kssk
    .kk..........kk.
    ................
    ................
    ................]] }

function M.bat()
  local frames = {}
  for i, drawing in ipairs(bats) do frames[i] = new(16, 16):draw(drawing) end
  return strip(frames)
end

local skull = [[
    ....kkkkkkkk....
    ...kwwwwwwwwk...
    ..kwwwwwwwwwgk..
    ..kwkkwwwkkwgk..
    ..kwkrwwwkrwgk..
    ..kwwwwkwwwwgk..
    ...kgwwwwwwgk...
    ....kwkwkwgk....]]
local ribs = [[
    ...kkgwggwgkk...
    ..kwkkkwwkkkwk..
    ..kgkgwggwgkgk..
    ..kwkkkwwkkkwk..
    ...k.kgwwgk.k...
    ....kgwggwgk....]]

function M.skeleton()
  local frames = {}
  for i = 1, 4 do
    local c, bob = new(16, 16), i % 2 == 0 and 1 or 0
    c:draw("kwk\nkgk", 5, 14 - (i == 2 and 1 or 0))
    c:draw("kwk\nkgk", 8, 14 - (i == 4 and 1 or 0))
    c:draw(ribs, 0, 8 + bob - 0)
    c:draw(skull, 0, bob)
    frames[i] = c
  end
  return strip(frames)
end

local function draw_wisp_frame(i)
  local c = new(16, 16)
  local tips = { { 8, 0 }, { 9, 1 }, { 7, 1 }, { 6, 0 } }
  local tip = tips[i]
  for y = 0, 15 do
    for x = 0, 15 do
      local dx, dy = x - 7.5, y - 9.5
      local lean = (tip[1] - 7.5) * math.max(0, (9 - y) / 9)
      local r = math.sqrt((dx - lean) ^ 2 + (dy < 0 and dy * 0.62 or dy) ^ 2)
      local letter = r < 2 and "w" or r < 3.6 and "c" or r < 4.7 and "s" or r < 5.4 and "v" or "."
      if y >= tip[2] then c:set(x, y, letter) end
    end
  end
  return c:draw("k.k\nk.k", 6, 9)
end

function M.wisp() return strip { draw_wisp_frame(1), draw_wisp_frame(2), draw_wisp_frame(3), draw_wisp_frame(4) } end

-- --- the Snuffer

local function draw_shade(frame, mood)
  local c, wave = new(48, 48), { 0, 1, 2, 1 }
  for y = 4, 45 do
    local t = (y - 4) / 41
    local half = t < 0.35 and 6 + 11 * math.sin(math.min(1, t / 0.35) * 1.5) or 17 + 4 * math.sin((t - 0.35) * 2.6)
    for x = 0, 47 do
      local dx = x - 23.5 + (t > 0.6 and math.sin(y * 0.6 + frame * 1.6) * (t - 0.6) * 5 or 0)
      local hem = 45 - (math.abs((x + frame * 2) % 8 - 4)) * 1.8 - wave[(frame + math.floor(x / 8)) % 4 + 1]
      if math.abs(dx) < half and y < hem then
        local rim = half - math.abs(dx)
        local letter = rim < 1 and "k" or dx < -half * 0.45 and rim > 2 and "v" or "n"
        if rim < 2.4 and rim >= 1 then letter = dx < 0 and "s" or "v" end
        if (x * 3 + y * 2 + frame) % 13 == 0 and letter == "n" then letter = "v" end
        c:set(x, y, letter)
      end
    end
  end
  for y = 9, 25 do -- draws the opening of the hood
    local half = 9.5 * math.sqrt(math.max(0, 1 - ((y - 17) / 8.5) ^ 2))
    for x = 0, 47 do
      local dx = math.abs(x - 23.5)
      if dx < half then c:set(x, y, "k") elseif dx < half + 1 then c:set(x, y, "s") end
    end
  end
  local glow, core = "r", "e"
  if mood == "stunned" then glow, core = "s", "c" elseif mood == "angry" then glow, core = "e", "y" end
  local eye = mood == "stunned" and ".gg.\ng..g\n.gg." or ".gg.\ngccg\n.gg."
  if mood == "asleep" then eye = "....\nssss\n...." end
  c:draw(eye, 17, 15, { g = glow, c = core })
  c:draw(eye, 27, 15, { g = glow, c = core })
  if mood == "angry" then c:draw("r.r.r.r\n.r.r.r.", 20, 21) end
  -- draws the claws
  local reach = mood == "angry" and -5 or frame % 2
  c:draw("kkkk.\nkgsgk\nksgsk\nkg.gk\nw.w.w", 3, 26 + reach)
  c:draw("kkkk.\nkgsgk\nksgsk\nkg.gk\nw.w.w", 40, 26 + reach)
  return c:outline()
end

function M.snuffer()
  return strip {
    draw_shade(0), draw_shade(1), draw_shade(2), draw_shade(3), draw_shade(0, "angry"), draw_shade(1, "angry"),
    draw_shade(0, "stunned"),
    draw_shade(2, "stunned"), draw_shade(0, "asleep"), draw_shade(1, "asleep"),
  }
end

-- --- fireballs, bolts, and objects that burn

local function draw_ball(size, frame, colours)
  local c, middle = new(size, size), size / 2 - 0.5
  for y = 0, size - 1 do
    for x = 0, size - 1 do
      local dx, dy = x - middle, y - middle
      local r = math.sqrt(dx * dx + dy * dy) / (size / 2) + 0.12 * math.sin(math.atan2(dy, dx) * 4 + frame * 2.1)
      c:set(x, y, r < 0.35 and colours[1] or r < 0.6 and colours[2] or r < 0.8 and colours[3] or r < 0.95 and colours[4]
        or ".")
    end
  end
  return c
end

function M.fireball()
  local hot = { "w", "y", "e", "r" }
  return strip { draw_ball(12, 0, hot), draw_ball(12, 1, hot), draw_ball(12, 2, hot) }
end

function M.bolt()
  local cold = { "w", "c", "s", "v" }
  return strip { draw_ball(10, 0, cold), draw_ball(10, 1, cold), draw_ball(10, 2, cold) }
end

local function draw_flame(c, x, y, frame, high)
  for j = 0, high - 1 do
    local t = j / (high - 1)
    local half = (0.5 + math.sin(math.min(1, t * 1.15) * 2.6) * 3.6) * (t > 0.9 and 0.8 or 1)
    local lean = math.sin(frame * 1.7 + (1 - t) * 3.2) * (1 - t) * 2.2
    for i = -5, 5 do
      local d = math.abs(i - lean)
      if d < half then
        local letter = d < half * 0.35 and t > 0.45 and "w" or d < half * 0.65 and t > 0.25 and "y" or d < half - 0.9
          and "e" or "r"
        c:set(x + i, y + j, letter)
      end
    end
  end
end

local bowl = [[
    kkkkkkkkkkkk
    kgsssssssvvk
    .kssssssvvk.
    ..kkssvvkk..
    ....ksvk....
    ....ksvk....
    ...kssvvk...
    ..kssvvvvk..
    ..kkkkkkkk..]]

function M.brazier()
  local frames = { new(16, 24):draw(bowl, 2, 14) }
  for i = 1, 4 do
    local c = new(16, 24)
    draw_flame(c, 8, 1, i, 15)
    frames[#frames + 1] = c:draw(bowl, 2, 14)
  end
  frames[1]:draw("kddkddkddk", 3, 14)
  return strip(frames)
end

local post = [[
    ....kkkkkkkk....
    ...kvssssssvk...
    ....kkkkkkkk....
    ....kggkkggk....
    ....kg....gk....
    ....kg....gk....
    ....kg....gk....
    ....kg....gk....
    ....kggkkggk....
    ....kkkkkkkk....
    ......kssk......
    .......kk.......
    ......kssk......
    ......ksvk......
    ......ksvk......
    ......ksvk......
    ......ksvk......
    ......ksvk......
    ......ksvk......
    .....kssvvk.....
    ....kssvvvvk....
    ....kkkkkkkk....]]

-- Draws the lamp of the yard: one unlit and four burning frames.
function M.lamp()
  local frames = {}
  for i = 0, 4 do
    local c = new(16, 24)
    c:draw(post, 0, 1)
    if i > 0 then
      c:draw(i % 2 == 0 and ".yy.\nyyyy\nywwy\nywwy\n.yy." or ".ye.\nyyye\nywwy\nywwy\nyyyy", 6, 5)
    else
      c:rect(6, 5, 4, 4, "n")
    end
    frames[#frames + 1] = c
  end
  return strip(frames)
end

-- --- slashes, puffs and sparks

-- Returns one frame (1 … 4) of a slash to the right: a crescent of light.
local function draw_slash(frame)
  local c = new(32, 32)
  local start_angle, end_angle = ({ -1.9, -1.6, -0.7, 0.4 })[frame], ({ -0.6, 0.9, 1.7, 1.9 })[frame]
  for y = 0, 31 do
    for x = 0, 31 do
      local dx, dy = x - 9.5, y - 15.5
      local r, angle = math.sqrt(dx * dx + dy * dy), math.atan2(dy, dx)
      local part = (angle - start_angle) / (end_angle - start_angle)
      if part > 0 and part < 1 then
        local thickness = 6 * math.sin(part * math.pi) ^ 0.7 * (frame == 4 and 0.5 or 1)
        local depth = 15.5 - r
        if depth > 0 and depth < thickness then
          c:set(x, y, depth < thickness * 0.45 and "w" or depth < thickness * 0.8 and "y" or "e")
        end
      end
    end
  end
  return c
end

function M.slash() return strip { draw_slash(1), draw_slash(2), draw_slash(3), draw_slash(4) } end

M.sword = function()
  return new(16, 7):draw([[
    .kk.............
    kyyk............
    .kykkkkkkkkkkk..
    kobywwwwwwwwwgk.
    .kykgggggggggk..
    kyykkkkkkkkkk...
    .kk.............]])
end

function M.puff()
  local frames = {}
  for i = 1, 4 do
    local c, roll = new(16, 16), canvas.dice(40 + i)
    for k = 0, 4 do
      local angle, distance = k * 1.257 + i * 0.4, 1.5 + i * 1.1
      local r = (5.2 - i) * 0.8 + roll(2) * 0.4
      local cx, cy = 7.5 + math.cos(angle) * distance, 8 + math.sin(angle) * distance
      for y = 0, 15 do
        for x = 0, 15 do
          local d = math.sqrt((x - cx) ^ 2 + (y - cy) ^ 2)
          if d < r then c:set(x, y, d < r * 0.55 and (x + y) % 2 == 0 and "w" or "g") end
        end
      end
    end
    frames[i] = c
  end
  return strip(frames)
end

function M.spark() return new(3, 3):draw(".w.\nwww\n.w.") end
function M.speck() return new(2, 2, "w") end

-- --- objects of the rooms

local chest = [[
    ................
    ................
    ..kkkkkkkkkkkk..
    .kooooooooooobk.
    .kobbbbbbbbbbbk.
    .kobbbbbbbbbbbk.
    .kkkkkkyykkkkkk.
    .kyoookyykooobk.
    .kkkkkkyykkkkkk.
    .koooookkooobbk.
    .kobbbbbbbbbbbk.
    .kobbbbbbbbbbbk.
    .kkkkkkkkkkkkkk.
    ................]]
local open_chest = [[
    ..kkkkkkkkkkkk..
    .kbbbbbbbbbbbdk.
    .kbddddddddddbk.
    .kbddddddddddbk.
    .kkkkkkkkkkkkkk.
    .kknnnnnnnnnnkk.
    .kknnnnnnnnnnkk.
    .kyoookyykooobk.
    .kkkkkkyykkkkkk.
    .koooookkooobbk.
    .kobbbbbbbbbbbk.
    .kobbbbbbbbbbbk.
    .kkkkkkkkkkkkkk.
    ................]]

function M.chest() return strip { new(16, 14):draw(chest), new(16, 14):draw(open_chest) } end

local stone = [[
    ....kkkkkkkk....
    ...kggggggsvk...
    ..kgggssssssvk..
    ..kggskkksssvk..
    ..kgssskssssvk..
    ..kgskkkkkssvk..
    ..kgssskssssvk..
    ..kgssskssssvk..
    ..kgsssksssvvk..
    ..kgssssssvvvk..
    ..kgsssssvvvvk..
    .kkssvssvvvvnkk.
    .kfkkfkkkkfkkfk.]]

function M.grave() return new(16, 13):draw(stone) end

local pillar = [[
    kkkkkkkkkkkkkkkk
    kggggggggssssssk
    kgssssssssvvvvvk
    kkkkkkkkkkkkkkkk
    .kvggsgssssvvnk.
    ..kgssgssssvnk..
    ..kgssgssssvnk..
    ..kgssgssssvnk..
    ..kgssgssssvnk..
    ..kgsgsssssvnk..
    ..kgssssssvvnk..
    ..kgsssssssvnk..
    ..kgssgssssvnk..
    ..kgssgssssvnk..
    ..kgssgsssvvnk..
    ..kgssgssssvnk..
    ..kgssgssssvnk..
    .kkkkkkkkkkkkkk.
    kggssssssssvvvnk
    kgsssssssssvvvnk
    kkkkkkkkkkkkkkkk]]

function M.pillar() return new(16, 21):draw(pillar) end

local pot = [[
    ...kkkkkk...
    ..kooooook..
    ...kkkkkk...
    ..koeoobbk..
    .koeooobbbk.
    .koeooobbbk.
    .kooooobbdk.
    .kyyyyyyyek.
    .kooooobbdk.
    ..koobbbdk..
    ...kkkkkk...]]

function M.pot() return new(12, 11):draw(pot) end

-- Draws a gate, two tiles wide, in two frames: shut and sunk into the ground.
function M.gate()
  local shut, lowered = new(32, 24), new(32, 24)
  for i = 0, 4 do
    shut:draw("kkkk\nkgsk\nkgsk", i * 7, 0)
    for y = 3, 21 do shut:draw("kgsk", i * 7, y) end
    shut:draw("kkkk", i * 7, 22)
    lowered:draw("kkkk\nkvnk", i * 7, 21)
  end
  for _, y in ipairs { 6, 15 } do
    shut:rect(0, y, 32, 3, "k")
    shut:rect(1, y + 1, 30, 1, "g")
  end
  return strip { shut, lowered }
end

-- Draws the great door in two frames: shut (two iron-bound wings with a lock) and open.
function M.door()
  local shut, opened = new(32, 32), new(32, 32)
  for _, c in ipairs { shut, opened } do
    for y = 0, 31 do
      for x = 0, 31 do
        local dx, dy = x - 15.5, y < 14 and (y - 14) * 1.1 or 0
        local r = math.sqrt(dx * dx + dy * dy)
        if r < 16 then
          local letter = r > 15 and "k" or r > 13 and ((y % 5 == 0 or r > 14 and x % 5 == 0) and "v" or dx < 0
            and "g" or "s")
            or r > 12 and "k" or (c == opened and "k" or x % 6 < 1 and "d" or x % 6 == 1 and "o" or "b")
          c:set(x, y, letter)
        end
      end
    end
  end
  shut:rect(15, 2, 2, 30, "k")
  for _, y in ipairs { 11, 23 } do
    shut:rect(4, y, 24, 3, "k")
    shut:rect(4, y + 1, 24, 1, "s")
  end
  shut:draw("kkkkkk\nkyyyek\nkykkek\nkykkek\nkyykek\nkyyeek\nkkkkkk", 13, 14)
  for y = 26, 31 do opened:rect(4, y, 24, 1, (y % 2 == 0) and "n" or "k") end
  return strip { shut, opened }
end

-- --- pickups and widgets

local function draw_heart(full)
  return new(11, 10):draw([[
    .kkk...kkk.
    krrrk.krrrk
    krwrrkrrrrk
    krrrrrrrrrk
    krrrrrrrrdk
    .krrrrrrdk.
    ..krrrrdk..
    ...krrdk...
    ....kdk....
    .....k.....]], 0, 0, full and {} or { r = "n", w = "v", d = "n" })
end
local half = [[
    krrrk
    krwrr
    krrrr
    krrrr
    .krrr
    ..krr
    ...kr
    ....k]]

function M.heart()
  return strip { draw_heart(true), draw_heart(false):draw(half, 0, 1):draw("k\nk", 5, 3), draw_heart(false) }
end

function M.key()
  return new(12, 12):draw([[
    ............
    ..kkkk......
    .kyyyyk.....
    kyykkyek....
    kyk..kykkkkk
    kyk..kyyyyyk
    kyykkyekekek
    .kyyeekkekek
    ..kkkk.kkkk.
    ............]])
end

-- Draws the cloak of moths, in two frames.
function M.cloak()
  local frames = {}
  for i, wings in ipairs { 0, 1 } do
    local c = new(16, 16)
    c:draw(([[
    .kkk......kkk.
    kwcck.kk.kccwk
    kcwsckwwkcswck
    .kscckwwkccsk.
    ..kkcsccsckk..
    .kccskcckscck.
    .kcskkcckksck.
    ..kk.kcck.kk..
    ......kk......]]), 1, 3 + wings)
    if wings == 1 then c:draw("..........\n", 0, 0) end
    frames[i] = c
  end
  return strip(frames)
end

-- Draws the frame of panels: a nine-slice image, whose corners keep their size while its edges are stretched.
function M.panel()
  local c = new(24, 24, "n")
  for i = 0, 23 do
    for _, at in ipairs { { i, 0 }, { i, 23 }, { 0, i }, { 23, i } } do c:set(at[1], at[2], "k") end
    for _, at in ipairs { { i, 1 }, { 1, i } } do
      if i > 0 and i < 23 then c:set(at[1], at[2], "e") end
    end
    for _, at in ipairs { { i, 22 }, { 22, i } } do
      if i > 0 and i < 23 then c:set(at[1], at[2], "o") end
    end
    if i > 1 and i < 22 then
      c:set(i, 2, "k")
      c:set(2, i, "k")
      c:set(i, 21, "v")
      c:set(21, i, "v")
    end
  end
  for _, at in ipairs { { 0, 0 }, { 20, 0 }, { 0, 20 }, { 20, 20 } } do
    c:draw("kkkk\nkyek\nkeok\nkkkk", at[1], at[2])
  end
  return c
end

-- Draws the frames of buttons: normal and focused.
function M.button()
  local function draw_frame(rim, fill)
    local c = new(16, 16, fill)
    for i = 0, 15 do
      for _, at in ipairs { { i, 0 }, { i, 15 }, { 0, i }, { 15, i } } do c:set(at[1], at[2], "k") end
      if i > 0 and i < 15 then
        for _, at in ipairs { { i, 1 }, { i, 14 }, { 1, i }, { 14, i } } do c:set(at[1], at[2], rim) end
      end
    end
    return c
  end
  return strip { draw_frame("v", "n"), draw_frame("e", "d") }
end

local letters = {
  L = "ww...\nww...\nww...\nww...\nww...\nww...\nwwwww",
  A = ".www.\nww.ww\nww.ww\nwwwww\nww.ww\nww.ww\nww.ww",
  N = "ww..w\nwww.w\nwwwww\nww.ww\nww..w\nww..w\nww..w",
  T = "wwwwww\n..ww..\n..ww..\n..ww..\n..ww..\n..ww..\n..ww..",
  E = "wwwww\nww...\nww...\nwwww.\nww...\nww...\nwwwww",
  R = "wwww.\nww.ww\nww.ww\nwwww.\nww.ww\nww.ww\nww.ww",
}

-- Draws the title: letters enlarged four times in height and about three times in width, from white at the top to red
-- at the bottom.
function M.title()
  local c, x = new(150, 36), 4
  for letter in ("LANTERN"):gmatch "." do
    local small, wide = new(6, 7):draw(letters[letter]), letter == "T" and 6 or 5
    for j = 0, 6 do
      for i = 0, wide - 1 do
        if small:get(i, j) ~= "." then
          for b = 0, 3 do
            for a = 0, 3 do
              local row = j * 4 + b
              c:set(x + i * 4 + a - (i > 0 and i or 0), 3 + row, row < 4 and "w" or row < 11 and "y" or row < 19 and "e"
                or row < 24 and "o" or "r")
            end
          end
        end
      end
    end
    x = x + wide * 4 - (wide - 1) + 3
  end
  local plain = new(150, 36):paste(c, 0, 0)
  plain:outline()
  local deep = new(150, 36):paste(plain, 0, 2)
  for i = 0, 150 * 36 - 1 do if deep[i] ~= "." then deep[i] = "k" end end
  return deep:paste(plain, 0, 0)
end

return M
