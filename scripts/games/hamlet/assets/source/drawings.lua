-- Characters and objects, drawn in letters of Lantern's palette. The heroes, the elder and the lamps are Lantern's
-- drawings in different colours. Each entry has a canvas, the size of its frames and, if needed, clips or a border.
local canvas, sprites = require "canvas", require "sprites"
local new, strip = canvas.new, canvas.strip

local M = {}

local function add(name, c, width, height, more)
  M[name] = more or {}
  M[name].canvas, M[name].width, M[name].height = c, width, height
end

-- Replaces letters of a canvas. `swap`: old letter → new letter.
local function recolour(c, swap)
  for i = 0, c.width * c.height - 1 do c[i] = swap[c[i]] or c[i] end
  return c
end

-- --- people

local hero_clips = {}
for i, side in ipairs { "down", "up", "side" } do
  local first = (i - 1) * 6
  local function frames(list, fps)
    for k, frame in ipairs(list) do list[k] = first + frame end
    return ('"frames": [%s], "fps": %d'):format(table.concat(list, ", "), fps)
  end
  hero_clips["idle_" .. side] = frames({ 1, 1, 1, 1, 2, 2, 2 }, 6)
  hero_clips["walk_" .. side] = frames(side == "side" and { 3, 1, 5, 4 } or { 3, 4, 5, 4 }, 10)
  hero_clips["dig_" .. side] = frames({ 6, 1 }, 8)
end

-- Coats in the colours of the players: the letters of the coat, its shadow and its light parts.
for i, coat in ipairs { "cst", "eoy", "ftl", "vns", "yew", "svg", "rdo", "gsw" } do
  local swap = { r = coat:sub(1, 1), d = coat:sub(2, 2), o = coat:sub(3, 3) }
  add("hero_" .. i, recolour(sprites.hero(), swap), 16, 16, { clips = hero_clips })
end

local waits = { go = '"from": 1, "to": 2, "fps": 2' }
add("elder", recolour(sprites.keeper(), { t = "v", f = "s" }), 16, 16, { clips = waits })

local smith = [[
    .....kkkkkk.....
    ....kddddddk....
    ...kddbbbbddk...
    ...kdbeeeebdk...
    ...kdekeekedk...
    ...kdeeeeeedk...
    ...kkbbbbbbkk...
    ....kbbbbbbk....
    ..kkgkbbbbkgkk..
    .kegggooooggggk.
    .keegooooooggek.
    .kkekooooookekk.
    ....kooddook....
    ....kooddook....
    ....kkkkkkkk....]]

do
  local a, b = new(16, 16):draw(smith, 0, 1), new(16, 16):draw(smith, 0, 2)
  b:rect(0, 15, 16, 1, ".")
  for i, c in ipairs { a, b } do c:draw("kkk\nkgk\nkkk\n.b.\n.b.\n.b.", 12, i == 1 and 4 or 7) end
  add("smith", strip { a, b }, 16, 16, { clips = waits })
end

-- --- veins: full, partly dug, empty

local boulder = [[
    ......kkkkkk......
    ....kksssssskk....
    ...kggssssssvvk...
    ..kgggssssssvvvk..
    ..kggsssssssvvvk..
    .kggsssssssssvvvk.
    .kgssssssssssvvvk.
    kggsssssssssssvvvk
    kgssssssssssssvvvk
    kgsssssssssssvvvvk
    kssssssssssvvvvvnk
    .kvsssvvvsvvvvvnk.
    ..kkkkkkkkkkkkkk..]]
local rubble = [[
    ..................
    ..................
    ..................
    ..................
    ..................
    ..................
    ..................
    ......kkkk........
    ..kkkkkssvkkkk....
    .kgsvkgssvkgsvkk..
    kgssvkssvvkssvsvk.
    kssvvksvvvkvvvssvk
    .kkkkkkkkkkkkkkkk.]]

local function draw_vein(light, dark)
  local frames = {}
  for i = 1, 2 do
    local c = new(18, 13):draw(boulder)
    for k, at in ipairs { { 5, 3 }, { 11, 5 }, { 4, 7 }, { 9, 8 }, { 13, 9 } } do
      if i == 1 or k % 2 == 1 then c:draw("lld\nldd\n.d.", at[1] - 1, at[2], { l = light, d = dark }) end
    end
    frames[i] = c
  end
  frames[3] = new(18, 13):draw(rubble)
  return strip(frames)
end

add("ore", draw_vein("c", "t"), 18, 13)
add("gold", draw_vein("y", "o"), 18, 13)

-- --- buildings

do -- a house with a thatched roof
  local c = new(48, 46)
  c:rect(4, 22, 40, 24, "k")
  c:rect(5, 22, 38, 23, "w")
  for y = 24, 44, 4 do for x = 6, 40 do if (x * 7 + y * 3) % 11 == 0 then c:rect(x, y, 2, 1, "g") end end end
  for _, x in ipairs { 5, 16, 30, 41 } do c:rect(x, 22, 2, 23, "b") end
  c:rect(5, 32, 38, 2, "b")
  c:rect(19, 29, 10, 17, "k")
  c:rect(20, 30, 8, 15, "b")
  for x = 21, 27, 3 do c:rect(x, 30, 1, 15, "d") end
  c:draw("y", 26, 38)
  for _, x in ipairs { 8, 33 } do
    c:rect(x, 24, 7, 7, "k")
    c:rect(x + 1, 25, 5, 5, "y")
    c:rect(x + 3, 25, 1, 5, "b")
    c:rect(x + 1, 27, 5, 1, "b")
  end
  for y = 0, 23 do
    local half = 8 + math.floor(y * 0.7)
    for x = 24 - half, 23 + half do
      local is_edge = x == 24 - half or x == 23 + half or y == 0 or y == 23
      c:set(x, y, is_edge and "k" or y % 5 == 4 and "d" or (x * 5 + y * 3) % 7 < 2 and "b" or (x + y) % 9 == 0 and "e"
        or "o")
    end
  end
  c:rect(34, 0, 6, 9, "k")
  c:rect(35, 1, 4, 8, "s")
  add("house", c, 48, 46)
end

add("forge", new(24, 18):draw [[
    ........................
    ........................
    ....kkkkkkkk............
    ...kggssssvvk...........
    ...kgsssssvvk...kkkkk...
    ...kgkkkkkkvk..kgggggkk.
    ...kgkryyrkvk.kgggssssk.
    ...kgkyyyykvk..kkkssvkk.
    ...kskreerkvk....kssk...
    ...kkkkkkkkkk....kssk...
    ..kggssssssvvk..kkssvk..
    ..kgsssssssvvk..kbbbbk..
    ..kgssvsssvvvk..kbobbk..
    ..kgsssssvvvvk..kbbbdk..
    ..ksssvsssvvnk..kbobdk..
    ..kssssssvvvnk..kkkkkk..
    ..kkkkkkkkkkkk..........]], 24, 18)

add("well", new(24, 26):draw [[
    ..........kkkk..........
    .......kkkookkkk........
    .....kkooooobbbbkk......
    ...kkoooooobbbbbbbkk....
    ..kooooooobbbbbbbbbbk...
    ..kkkkkkkkkkkkkkkkkkk...
    ....kbk..........kbk....
    ....kbk....kk....kbk....
    ....kbkkkkkkkkkkkkbk....
    ....kbk....ks....kbk....
    ....kbk....ks....kbk....
    ....kbk...kkkk...kbk....
    ....kbk...kobk...kbk....
    ..kkkbkkkkkbbkkkkkbkkk..
    .kgggbnnnnnkknnnnnbsssk.
    .kggknnnnnnnnnnnnnnkssk.
    .kgsskkkkkkkkkkkkkkssvk.
    .kgssvggsssvgssssvssvvk.
    .kgssvgssssvgssssvssvvk.
    .kkkkkkkkkkkkkkkkkkkkkk.
    .kgsvgssssvgssssvgsssvk.
    .kgsvgssssvgssssvgsssvk.
    .kgsvvsssvvvsssvvvssvvk.
    ..kkkkkkkkkkkkkkkkkkkk..]], 24, 26)

do -- the open door of Lantern, as the arch of the mine
  local doors, c = sprites.door(), new(32, 32)
  for y = 0, 31 do for x = 0, 31 do c:set(x, y, doors:get(32 + x, y)) end end
  add("arch", c, 32, 32)
end
local burns = { burn = '"from": 2, "to": 5, "fps": 9' }
add("lamp", sprites.lamp(), 16, 24, { clips = burns })
add("torch", sprites.brazier(), 16, 24, { clips = burns })

-- --- items of the bag, and frames of widgets

add("goods", strip {
  new(12, 12):draw [[
    ............
    ....kkkkk...
    ...kcwccsk..
    ..kcwcccstk.
    ..kcccssstk.
    .kwccsssttk.
    .kcccssttk..
    ..kcssttk...
    ...kkkkk....]],
  new(12, 12):draw [[
    ............
    ............
    .....kkkk...
    ...kkywyek..
    ..kywyyyeek.
    ..kyyyeeeok.
    .kyyeeeeook.
    .kyeeeoook..
    ..kkkkkkk...]],
  new(12, 12):draw [[
    ............
    ...kkkkkk...
    ..kyyyyyek..
    .kywkkkkyek.
    .kyykyyyyek.
    .kyykkkyyek.
    .kyyyyykyek.
    .kyykkkkeek.
    ..keyyyeek..
    ...kkkkkk...]],
  new(12, 12):draw [[
    ...kkkkk....
    ..kgwwwsk...
    ...kkkkgsk..
    ......kkgsk.
    .....kokkgk.
    ....kobkkgk.
    ...kobk.ksk.
    ..kobk..kk..
    .kobk.......
    .kkk........]],
}, 12, 12, { centred = true })

add("panel", sprites.panel(), 24, 24, { border = "4, 4, 4, 4" })
add("button", sprites.button(), 16, 16, { border = "3, 3, 3, 3" })

local letters = {
  H = "ww.ww\nww.ww\nww.ww\nwwwww\nww.ww\nww.ww\nww.ww",
  A = ".www.\nww.ww\nww.ww\nwwwww\nww.ww\nww.ww\nww.ww",
  M = "ww..ww\nwwwwww\nwwwwww\nww..ww\nww..ww\nww..ww\nww..ww",
  L = "ww...\nww...\nww...\nww...\nww...\nww...\nwwwww",
  E = "wwwww\nww...\nww...\nwwww.\nww...\nww...\nwwwww",
  T = "wwwwww\n..ww..\n..ww..\n..ww..\n..ww..\n..ww..\n..ww..",
}

do -- the title: letters enlarged four times, from white at the top to pine at the bottom
  local c, x = new(150, 36), 6
  for letter in ("HAMLET"):gmatch "." do
    local wide = (letter == "M" or letter == "T") and 6 or 5
    local small = new(6, 7):draw(letters[letter])
    for y = 0, 27 do
      for i = 0, wide * 4 - 1 do
        if small:get(math.floor(i / 4), math.floor(y / 4)) ~= "." then
          c:set(x + i, 3 + y, y < 4 and "w" or y < 12 and "y" or y < 20 and "l" or "f")
        end
      end
    end
    x = x + wide * 4 + 3
  end
  local plain = new(150, 36):paste(c, 0, 0)
  plain:outline()
  local deep = new(150, 36):paste(plain, 0, 2)
  for i = 0, 150 * 36 - 1 do if deep[i] ~= "." then deep[i] = "k" end end
  add("title", deep:paste(plain, 0, 0), 150, 36, { centred = true })
end

return M
