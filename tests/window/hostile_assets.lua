-- Writes hostile files to FOLDER/assets, a list of them for a game (asked.lua), and the expected messages: luajit
-- hostile_assets.lua FOLDER ENGINE_ASSETS. FOLDER/expected has lines "name|message". The message is part of the only
-- log line about the file, "taken" if no line is expected, or "any" if it depends on the library.
local folder, engine = arg[1], arg[2]
local bit = require("bit")
local expected, asked = {}, { image = {}, sound = {}, music = {}, font = {}, mesh = {} }

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

---@param kind "image"|"sound"|"music"|"font"|"mesh"
local function case(kind, name, bytes, words)
  if bytes then
    write(folder .. "/assets/" .. name, bytes)
  end
  table.insert(asked[kind], name)
  table.insert(expected, name .. "|" .. words)
end

-- --- numbers as bytes

local function big(n, count)
  local out = {}
  for i = count, 1, -1 do
    out[i] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(out)
end

local function little(n, count)
  return big(n, count):reverse()
end

local function patched(text, at, bytes) -- `at` counts from 0
  return text:sub(1, at) .. bytes .. text:sub(at + #bytes + 1)
end

-- --- PNG

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do
    c = bit.band(c, 1) == 1 and bit.bxor(0xEDB88320, bit.rshift(c, 1)) or bit.rshift(c, 1)
  end
  crc_table[i] = c
end

local function chunk(name, data)
  local c = -1
  for i = 1, #name + #data do
    local byte = (i <= 4 and name:byte(i)) or data:byte(i - 4)
    c = bit.bxor(crc_table[bit.band(bit.bxor(c, byte), 255)], bit.rshift(c, 8))
  end
  return big(#data, 4) .. name .. data .. big(bit.bnot(c) % 2 ^ 32, 4)
end

local PNG = "\137PNG\r\n\26\n"
local function head(width, height, depth, kind, interlaced)
  return chunk("IHDR", big(width, 4) .. big(height, 4) .. string.char(depth, kind, 0, 0, interlaced or 0))
end

-- Returns `data` in zlib format, stored without compression. Image decoders ignore the checksum.
local function stored(data)
  return "\120\1\1" .. little(#data, 2) .. little(65535 - #data, 2) .. data .. big(1, 4)
end

local function png(width, height, depth, kind, data, more)
  return PNG .. head(width, height, depth, kind) .. (more or "") .. chunk("IDAT", data) .. chunk("IEND", "")
end

-- Returns a zlib stream of at least `count` zeros, with 13 bits for every 258 bytes: each match repeats a byte.
local function packed_zeros(count)
  local bits = { 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0 } -- header: last block, fixed codes; then the byte 0
  for _ = 1, 17 do
    for digit in ("1100010100000"):gmatch("%d") do -- repeat 258 bytes at distance 1
      bits[#bits + 1] = tonumber(digit)
    end
  end
  local out = {}
  for i = 0, 26 do
    local byte = 0
    for k = 7, 0, -1 do
      byte = byte * 2 + bits[8 * i + k + 1]
    end
    out[i + 1] = string.char(byte)
  end
  local bytes = table.concat(out)
  return "\120\1" .. bytes:sub(1, 2) .. bytes:sub(3, 15):rep(math.ceil(count / 258 / 8)) .. "\0\0\0\0"
end

local row = "\0\255\0\0\255" -- the filter byte of a row and one red pixel
local small = png(1, 1, 8, 6, stored(row))
case("image", "good.png", small, "taken")
case("image", "chunks.png", png(1, 1, 8, 6, stored(row), chunk("teXt", "x"):rep(1000)), "taken")
case("image", "wide.png", png(40000, 40000, 8, 6, stored(row)),
  "cannot load image: Image too large to decode")
case("image", "large.png", png(8192, 8192, 8, 6, stored(row)), "need 256 MB (at most 128 MB)")
case("image", "negative.png", png(2 ^ 32 - 1, 1, 8, 6, stored(row)), "cannot load image: Very large image (corrupt?)")
case("image", "nothing.png", png(0, 5, 8, 6, stored(row)), "cannot load image: Corrupt PNG")
case("image", "later.png", PNG .. chunk("tEXt", "hello world yes") .. head(1, 1, 8, 6),
  "cannot load image: Corrupt PNG")
case("image", "depth.png", png(1, 1, 3, 6, stored(row)), "cannot load image: PNG not supported: 1/2/4/8/16-bit only")
case("image", "cut.png", small:sub(1, 25), "unexpected end of file")
case("image", "garbage.png", png(64, 64, 8, 6, ("no zlib at all"):rep(9)), "cannot load image: ")
case("image", "palette.png", png(1, 1, 8, 3, stored("\0\7")), "cannot load image: ")
case("image", "endless.png", PNG .. head(1, 1, 8, 6) .. big(2 ^ 31 - 1, 4) .. "IDAT" .. stored(row),
  "cannot load image: ")
case("image", "short.png", png(64, 64, 8, 6, stored(row)), "cannot load image: ")
case("image", "bomb.png", png(8192, 4096, 16, 6, packed_zeros(4096 * (8192 * 8 + 1))), "any")
case("image", "bomb_small.png", png(16, 16, 8, 6, packed_zeros(100e6)), "any")

-- --- JPEG

local function segment(marker, data)
  return "\255" .. string.char(marker) .. big(#data + 2, 2) .. data
end

local function frame(marker, width, height, depth)
  return segment(marker, string.char(depth or 8) .. big(height, 2) .. big(width, 2) .. "\1\1\17\0")
end

local quant = segment(0xDB, "\0" .. ("\1"):rep(64))
local tables = segment(0xC4, "\0\1" .. ("\0"):rep(15) .. "\0") .. segment(0xC4, "\16\1" .. ("\0"):rep(15) .. "\0")
local function scan(from, to, high_low)
  return segment(0xDA, "\1\1\0" .. string.char(from, to, high_low)) .. ("\0"):rep(8)
end

local START, END = "\255\216", "\255\217"
case("image", "scans.jpg", START .. quant .. frame(0xC2, 3000, 3000) .. tables .. scan(0, 0, 0):rep(5000) .. END,
  "cannot load image: decoding took more than 2000 ms: use a smaller file")
case("image", "scans64.jpg", START .. quant .. frame(0xC2, 8192, 4096) .. tables .. scan(0, 0, 1) ..
  scan(1, 63, 0):rep(63) .. END, "any")
case("image", "lossless.jpg", START .. quant .. frame(0xC3, 8, 8) .. scan(0, 0, 0) .. END,
  "cannot load image: Corrupt JPEG")
case("image", "two.jpg", START .. quant .. frame(0xC0, 8, 8) .. frame(0xC0, 80, 80) .. scan(0, 63, 0) .. END,
  "cannot load image: Corrupt JPEG")
case("image", "tables.jpg", START .. quant .. frame(0xC0, 8, 8) .. segment(0xC4, "\0" .. ("\255"):rep(16) ..
  ("x"):rep(300)) ..
  scan(0, 63, 0) .. END, "cannot load image: ")
-- The table has 510 codes; stb_image 2.27 has room for 256 and does not check the number.
case("image", "overrun.jpg", START .. quant .. frame(0xC0, 8, 8) .. segment(0xC4, "\0" .. ("\0"):rep(14) ..
  "\255\255" .. ("\255"):rep(510)) .. scan(0, 63, 0) .. END, "cannot load image: ")
case("image", "nothing.jpg", START .. quant .. frame(0xC0, 0, 8) .. scan(0, 63, 0) .. END,
  "cannot load image: Corrupt JPEG")
case("image", "bits.jpg", START .. quant .. frame(0xC0, 8, 8, 12) .. scan(0, 63, 0) .. END,
  "cannot load image: JPEG format not supported: 8-bit only")
case("image", "headless.jpg", START .. quant .. tables .. scan(0, 63, 0) .. END, "cannot load image: Corrupt JPEG")
case("image", "cut.jpg", START .. quant, "unexpected end of file")

-- --- BMP and TGA

local function bmp(width, height, bits, packing, at)
  return "BM" .. little(1000, 4) .. little(0, 4) .. little(at or 54, 4) .. little(40, 4) .. little(width, 4) ..
    little(height, 4) .. little(1, 2) .. little(bits, 2) .. little(packing, 4) .. ("\0"):rep(20)
end

case("image", "wide.bmp", bmp(2 ^ 31 - 1, 1, 24, 0), "must be at most 8192 pixels")
case("image", "lowest.bmp", bmp(1, 2 ^ 31, 24, 0), "1 × 2147483648")
case("image", "packed.bmp", bmp(8, 8, 8, 1), "cannot load image: BMP type not supported: RLE")
case("image", "head.bmp", patched(bmp(8, 8, 24, 0), 14, little(17, 4)) , "cannot load image: ")
case("image", "far.bmp", bmp(8, 8, 24, 0, 2 ^ 31 - 1), "cannot load image: ")

local function tga(kind, width, height, bits)
  return "\0\0" .. string.char(kind) .. "\0\0\0\0\0\0\0\0\0" .. little(width, 2) .. little(height, 2) ..
    string.char(bits, 0)
end
case("image", "wide.tga", tga(2, 65535, 65535, 32), "must be at most 8192 pixels")
case("image", "runs.tga", tga(10, 8192, 4096, 32) .. "\255", "any")

-- --- files with the wrong extension

for _, other in ipairs({
  { "gif", "GIF89a\1\0\1\0\0\0\0;", "the file is a GIF image" },
  { "webp", "RIFF\0\0\0\0WEBPVP8 ", "the WebP file is damaged" },
  { "tiff", "II*\0\8\0\0\0", "the file is a TIFF image" },
  { "psd", "8BPS\0\1", "the file is a Photoshop image" },
  { "svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "the file is an SVG drawing (export it as PNG)" },
  { "html", "<!DOCTYPE html><title>404</title>", "the file is a web page" },
  { "zip", "PK\3\4\20\0", "the file is a ZIP archive" },
  { "lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "a Git LFS pointer, not the file itself" },
  { "text", "hello", "the file is a text file: images must be PNG, JPEG, WebP, BMP, TGA or Aseprite" },
  { "noise", "\200\1\2\3\4\5\6\7\8\9\10\11\12\13\14\15\16\17\18\19", "the file is in an unknown format" },
  { "empty", "", "the file is empty" },
  { "sound", "RIFF\0\0\0\0WAVEfmt ", "the file is a WAV sound: images must be" },
}) do
  case("image", other[1] .. ".image.png", other[2], other[3])
end

-- --- WAV

local function wav(channels, rate, bits, data, options)
  options = options or {}
  local format = "fmt " .. little(16, 4) .. little(options.kind or 1, 2) .. little(channels, 2) .. little(rate, 4) ..
    little(0, 4) .. little(0, 2) .. little(bits, 2)
  return "RIFF" .. little(0, 4) .. "WAVE" .. format .. (options.more or "") .. "data" ..
    little(options.length or #data, 4) .. data
end

local second = ("\128"):rep(8000)
local smpl = ("\255"):rep(28) .. little(2 ^ 31, 4) .. ("\255"):rep(4) .. ("\255"):rep(24)
case("sound", "good.wav", wav(1, 8000, 8, second), "taken")
case("sound", "channels0.wav", wav(0, 8000, 8, second), "the file must have 1 to 8 channels, got 0")
case("sound", "channels.wav", wav(255, 8000, 8, second), "channels, got 255")
case("sound", "rate0.wav", wav(1, 0, 8, second), "Hz, got 0")
case("sound", "rate.wav", wav(1, 2 ^ 32 - 1, 8, second), "Hz, got 4294967295")
case("sound", "bits.wav", wav(1, 8000, 12, second), "12-bit WAV is not supported")
case("sound", "bits0.wav", wav(1, 8000, 0, second), "0-bit WAV is not supported")
case("sound", "packed.wav", wav(1, 8000, 4, second, { kind = 2 }), "compressed WAV (codec 2) is not supported")
case("sound", "silent.wav", wav(1, 8000, 8, ""), "the file contains no samples")
case("sound", "part.wav", wav(1, 8000, 8, second, { length = 10 ^ 9 }), "taken")
case("sound", "notanumber.wav", wav(1, 8000, 32, ("\255"):rep(8000), { kind = 3 }), "taken")
case("sound", "odd.wav", wav(7, 191999, 24, second), "taken")
case("sound", "head.wav", wav(1, 8000, 8, second):sub(1, 30), "must have at least 16 bytes, got 10")
case("sound", "order.wav", "RIFF\0\0\0\0WAVEdata" .. little(100, 4) .. second, "data chunk precedes the format chunk")
case("sound", "chunk.wav", wav(1, 8000, 8, second, { more = "LIST" .. little(2 ^ 32 - 1, 4) }),
  "unexpected end of file")
case("sound", "smpl.wav", wav(1, 8000, 8, second, { more = "smpl" .. little(#smpl, 4) .. smpl }),
  "the loop points are outside the file: looping the whole sound")
case("music", "music0.wav", wav(0, 8000, 8, second), "the file must have 1 to 8 channels, got 0")

-- --- other sounds

local function ogg(packet)
  return "OggS\0\2" .. ("\0"):rep(8) .. "\1\0\0\0\0\0\0\0\0\0\0\0\1" .. string.char(#packet) .. packet
end
case("sound", "channels0.ogg", ogg("\1vorbis\0\0\0\0\0" .. little(44100, 4) .. ("\0"):rep(14)),
  "the file must have 1 to 8 channels, got 0")
case("sound", "rate.ogg", ogg("\1vorbis\0\0\0\0\2" .. little(2 ^ 31, 4) .. ("\0"):rep(14)), "Hz, got 2147483648")
case("sound", "alone.ogg", ogg("\1vorbis\0\0\0\0\2" .. little(44100, 4) .. ("\0"):rep(12) .. "\184\1"),
  "cannot play ")
case("sound", "film.ogg", ogg("\128theora" .. ("\0"):rep(30)), "the Ogg stream must be Vorbis or Opus")
case("sound", "opus.ogg", ogg("OpusHead\1\2" .. ("\0"):rep(9)), "cannot play ")
case("sound", "cut.ogg", "OggS\0\2", "unexpected end of file")
case("sound", "noise.ogg", ogg("\1vorbis\0\0\0\0\2" .. little(44100, 4) .. ("\0"):rep(14)) ..
  ("OggS" .. ("\255"):rep(300)):rep(50), "cannot play ")

local function flac(rate, channels, frames)
  local bits = math.floor(rate / 16)
  return "fLaC\128\0\0\34\16\0\16\0\0\0\0\0\0\0" .. big(bits, 2) ..
    string.char(rate % 16 * 16 + (channels - 1) * 2, 15 * 16 + math.floor(frames / 2 ^ 32)) ..
    big(frames % 2 ^ 32, 4) .. ("\0"):rep(16)
end
case("sound", "rate0.flac", flac(0, 2, 100), "Hz, got 0")
case("sound", "long.flac", flac(44100, 2, 2 ^ 36 - 1), "minutes (at most 25)")
case("sound", "empty.flac", flac(44100, 2, 100), "any")
case("sound", "noise.flac", flac(44100, 2, 100) .. ("\255\248\201\24\0" .. ("\170"):rep(200)):rep(50), "any")
case("sound", "head.flac", "fLaC\0\0\0\34", "unexpected end of file")
case("sound", "good.mp3", ("\255\251\144\0" .. ("\0"):rep(413)):rep(20), "taken")
case("sound", "noise.mp3", ("\255\251\144\0" .. ("\165\90\3"):rep(137)):rep(20), "any")
case("sound", "tag.mp3", "ID3\4\0\0\127\127\127\127" .. ("x"):rep(1000), "cannot play ")

for _, other in ipairs({
  { "midi", "MThd\0\0\0\6\0\1\0\1\0\96MTrk\255\255\255\255",
    "the file is a MIDI file, which contains notes but no audio: sounds must be WAV" },
  { "xm", "Extended Module: " .. ("x"):rep(400), "the file is a tracker module (XM)" },
  { "it", "IMPM" .. ("\255"):rep(400), "the file is a tracker module (IT)" },
  { "s3m", ("\0"):rep(44) .. "SCRM" .. ("\255"):rep(400), "the file is a tracker module (S3M)" },
  { "mod", ("x"):rep(1080) .. "M.K." .. ("x"):rep(2000), "the file is a text" },
  { "aiff", "FORM\0\0\0\0AIFFCOMM", "the file is an AIFF sound" },
  { "voc", "Creative Voice File\26", "the file is a VOC sound" },
  { "m4a", "\0\0\0\24ftypM4A ", "the file is an MP4, M4A" },
  { "text", "hello", "the file is a text file: sounds must be WAV, Ogg (Vorbis or Opus), FLAC or MP3" },
  { "empty", "", "the file is empty" },
  { "picture", small, "the file is a PNG image: sounds must be" },
}) do
  case("sound", other[1] .. ".sound.wav", other[2], other[3])
end
case("music", "notes.mid", "MThd\0\0\0\6\0\1\0\1\0\96MTrk\255\255\255\255", "the file is a MIDI file")

-- --- fonts: the engine's font with replaced tables

local ui = read(engine .. "/fonts/ui.ttf")
local function number(text, at, count)
  local n = 0
  for i = at + 1, at + count do
    n = n * 256 + text:byte(i)
  end
  return n
end

local places = {}
for i = 0, number(ui, 4, 2) - 1 do
  local at = 12 + 16 * i
  places[ui:sub(at + 1, at + 4)] = { entry = at, at = number(ui, at + 8, 4), length = number(ui, at + 12, 4) }
end

-- Returns the font with all outlines replaced by `list`.
local function with_outlines(list)
  local glyf, loca, count = {}, {}, number(ui, places.maxp.at + 4, 2)
  local at = 0
  for i = 0, count do
    loca[#loca + 1] = big(at, 4)
    local outline = list[i + 1] or ""
    glyf[#glyf + 1] = i < count and outline or ""
    at = at + (i < count and #outline or 0)
  end
  local font = patched(ui, places.head.at + 50, "\0\1")
  for name, data in pairs({ glyf = table.concat(glyf), loca = table.concat(loca) }) do
    font = patched(font, places[name].entry + 8, big(#font, 4) .. big(#data, 4)) .. data
  end
  return font
end

local function made_of(...)
  local out = "\255\255" .. ("\0"):rep(8)
  for i = 1, select("#", ...) do
    local more = i < select("#", ...) and 32 or 0
    out = out .. big(more + 2, 2) .. big(select(i, ...), 2) .. "\0\0"
  end
  return out
end

-- The font loader times sixteen glyphs as a group. In `doubling` the first sixteen are quick and the next take minutes
-- on any machine; in `slow` the next three take more than 50 ms.
local doubling, slow, row_of = { ("\0"):rep(12) }, { ("\0"):rep(12) }, { made_of(1) }
for i = 1, 60 do
  local of = i == 17 and 10 or i - 1
  doubling[i + 1] = i > 10 and i < 17 and made_of(0) or made_of(of, of)
  slow[i + 1] = i < 20 and made_of(i - 1, i - 1) or nil
  row_of[i + 1] = made_of(i + 1)
end
case("font", "good.ttf", ui, "taken")
case("font", "doubling.ttf", with_outlines(doubling), "decoding took more than 2000 ms: use a smaller file")
case("font", "slow.ttf", with_outlines(slow), "take more than 50 ms to load")
case("font", "itself.ttf", with_outlines({ made_of(0) }), "taken")
case("font", "row.ttf", with_outlines(row_of), "taken")
case("font", "points.ttf", with_outlines({ "\0\1" .. ("\0"):rep(8) .. big(40000, 2) }),
  "taken")
case("font", "high.ttf", patched(ui, places.hhea.at + 4, "\127\255\128\0"), "any")
case("font", "higher.ttf", patched(patched(patched(ui, places.hhea.at + 4, "\127\255\128\0"), places.head.at + 18,
  "\0\16"),
  places["OS/2"].entry, "none"), "cannot load font: invalid metrics")
case("font", "noglyphs.ttf", patched(ui, places.maxp.at + 4, "\0\0"), "the font has no glyphs")
case("font", "outside.ttf", patched(ui, places.glyf.entry + 8, "\127\0\0\0"), "unexpected end of file")
case("font", "cut.ttf", ui:sub(1, 5000), "FreeType cannot open the file")
case("font", "zeros.ttf", ui:sub(1, 12 + 16 * number(ui, 4, 2)) .. ("\0"):rep(#ui), "cannot load font: ")
case("font", "program.ttf", patched(ui, places.cmap.at, ("\255"):rep(places.cmap.length)), "any")
case("font", "text.font.ttf", "hello", "the file is a text file: fonts must be TTF, OTF or TTC")
case("font", "web.font.ttf", "wOF2\0\1\0\0", "the file is a WOFF2 web font (unpack it to TTF)")
case("font", "collection.font.ttf", "ttcf\0\1\0\0", "FreeType cannot open the file")
case("font", "nowhere.ttc", "ttcf\0\1\0\0\0\0\0\1\255\255\255\240" .. ui, "FreeType cannot open the file")
case("font", "empty.font.ttf", "", "the file is empty")

-- --- shaders that replace the engine's

local function shader(name, text, words)
  write(folder .. "/assets/shaders/" .. name, "#version 330 core\n" .. text)
  table.insert(expected, name .. "|" .. words)
end

local twice = { "out vec4 result;\nfloat f0() { return 1.0; }\n" }
for i = 1, 30 do
  twice[#twice + 1] = ("float f%d() { return f%d() + f%d(); }\n"):format(i, i - 1, i - 1)
end
shader("final.frag", "out vec4 result;\nvoid main() { while (true) { } }",
  "final.frag:3: a loop must have constant bounds")
shader("paste.frag", "void main() { for (int i = 0; i < 9; --i) { } }",
  "paste.frag:2: a loop must have constant bounds")
shader("gather.frag", table.concat(twice) .. "void main() { result = vec4(f30()); }",
  "more than 50000 tokens may execute per pixel")
shader("shrink.frag", "float a[100000000];\nvoid main() { }", "the size of an array must be a constant of at most 1024")
shader("spread.frag", "\0\1\2\255" .. ("("):rep(5000), "the OpenGL driver rejected the shader")
shader("image.frag", ("// nothing\n"):rep(10000), "107 KB")
shader("shape.vert", "void main() { gl_Position = vec4(" .. ("("):rep(2000) .. "1" .. (")"):rep(2000) .. "); }",
  "any")

-- --- meshes

local corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
for _, mesh in ipairs({
  { "good.obj", corners .. "f 1 2 3\n", "taken" },
  { "far.obj", "v 1e38 -1e38 1e38\n" .. corners .. "f 1 2 4\n", "taken" },
  { "index.obj", corners .. "f 1 2 4000000000\n", "index.obj:4: expected \"v x y z\"" },
  { "nan.obj", "v nan 0 0\n", "nan.obj:1: expected \"v x y z\"" },
  { "empty.obj", "", "the OBJ file has no faces: export the model with faces" },
  { "binary.obj", ("\0\1\2"):rep(1000), "binary.obj:1: expected \"v x y z\"" },
  { "many.obj", corners .. ("f" .. (" 1 2 3"):rep(100) .. "\n"):rep(3000),
    "at most 200000 each" },
  { "oneline.obj", "f " .. ("1 "):rep(100000), "oneline.obj:1: expected \"v x y z\"" },
}) do
  case("mesh", mesh[1], mesh[2], mesh[3])
end

-- --- paths that are not regular files; the shell script creates them

case("image", "pipe.png", nil, "pipe.png: not found")
case("image", "folder.png", nil, "folder.png: not found")
case("image", "circle.png", nil, "circle.png: not found")
case("image", "zero.png", nil, "zero.png: the link to /dev/zero leaves the game's folder")
case("image", "huge.png", nil, "huge.png: the file is too large: 3072 MB (at most 1024 MB)")
case("sound", "huge.wav", nil, "huge.wav: the file is too large: 3072 MB (at most 1024 MB)")

-- --- the game

local lists = {}
for _, kind in ipairs({ "image", "sound", "music", "font", "mesh" }) do
  lists[#lists + 1] = ("  %s = { %s },"):format(kind, ('"' .. table.concat(asked[kind], '", "') .. '"'))
end
write(folder .. "/asked.lua", "return {\n" .. table.concat(lists, "\n") .. "\n}\n")
write(folder .. "/expected", table.concat(expected, "\n") .. "\n")
