-- Writes a recording by hand, from a text: luajit recording.lua TEXT FILE. The recording has no hashes, so it can still
-- be replayed after the game has changed. Lines of the text; empty lines, and lines that begin with #, are ignored:
--
--   game TITLE       title of the game; the first line
--   seed N           seed of the world's random numbers (1)
--   mouse X Y [N]    moves the mouse to X, Y in logical pixels, over N ticks (1)
--   press KEY        presses a key (its scancode, as in engine/media/platform/input.h) or mouse:left
--   release KEY      releases it
--   wait N           runs N ticks
--   rewind N         goes back N ticks, one by one, as F9 does
--   console LINE     runs a line of Lua between two ticks, as the console does
--   pause N          shows N frames of a game that the console has paused (world.pause(true))
--   resume           resumes it, with new input: after an edit, it would replay the input before `rewind`
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { char magic[8]; uint32_t format, unused; char game[128]; uint64_t seed, game_hash, engine_hash;
    uint32_t tick_rate, history_mb, history_is_set, undo, accept_edits, memory_mb;
    char arithmetic[64]; uint64_t hash; } recording_head_t;
  typedef struct { uint64_t hash; uint32_t size, unused; } recording_chunk_t;
  uint64_t XXH3_64bits_withSeed(const void *data, size_t bytes, uint64_t seed);
]]
local xxhash = ffi.load("xxhash")

local SAMPLE_BYTES, MOUSE_LEFT, MOUSE_X = 872, 709, 716 -- size of a sample, and offsets in it
local HISTORY_MB = 480 -- for `rewind`
local current, previous, records = {}, {}, {} -- bytes of the samples, by offset; records of the current chunk
local head = ffi.new("recording_head_t")

-- Encodes an integer as a varint.
local function encode_number(n)
  local out = {}
  repeat
    out[#out + 1] = string.char(n % 128 + (n > 127 and 128 or 0))
    n = math.floor(n / 128)
  until n == 0
  return table.concat(out)
end

-- Encodes the bytes of the sample that differ from the previous one.
local function encode_sample()
  local changed, offset = {}, 0
  for i = 0, SAMPLE_BYTES - 1 do
    if (current[i] or 0) ~= (previous[i] or 0) then
      changed[#changed + 1] = encode_number(i - offset) .. string.char(current[i] or 0)
      offset, previous[i] = i + 1, current[i]
    end
  end
  return encode_number(#changed) .. table.concat(changed)
end

local function put_float(offset, value)
  local bytes = ffi.cast("uint8_t *", ffi.new("float[1]", value))
  for i = 0, 3 do current[offset + i] = bytes[i] end
end

local function run_ticks(count)
  for _ = 1, count do records[#records + 1] = "U" .. encode_sample() end
end

local mouse_x, mouse_y = 0, 0
local commands = {}
function commands.game(title) ffi.copy(head.game, title) end
function commands.seed(seed) head.seed = tonumber(seed) end
function commands.wait(ticks) run_ticks(tonumber(ticks)) end
function commands.press(key) current[key == "mouse:left" and MOUSE_LEFT or tonumber(key)] = 1 end
function commands.release(key) current[key == "mouse:left" and MOUSE_LEFT or tonumber(key)] = 0 end
function commands.rewind(ticks)
  for _ = 1, tonumber(ticks) do records[#records + 1] = "R" .. encode_number(1) end
end
-- Values of the format (external_result.h, recording.h).
local EXTERNAL_CONSOLE, LIVE_INPUT, RESUME, RUN_CONSOLE = 8, 2, 3, 4
function commands.console(line)
  local key, found = "0", 1
  records[#records + 1] = "O" .. encode_number(EXTERNAL_CONSOLE) .. encode_number(found) .. encode_number(#key) .. key
    .. encode_number(#line) .. line .. "H" .. encode_number(RUN_CONSOLE)
end
function commands.pause(frames)
  for _ = 1, tonumber(frames) do records[#records + 1] = "I" .. encode_sample() end
end
function commands.resume()
  records[#records + 1] = "H" .. encode_number(LIVE_INPUT) .. "H" .. encode_number(RESUME)
end
function commands.mouse(words)
  local x, y, ticks = words:match("^(%S+) (%S+) ?(%d*)$")
  local from_x, from_y, count = mouse_x, mouse_y, tonumber(ticks) or 1
  for i = 1, count do
    mouse_x, mouse_y = from_x + (x - from_x) * i / count, from_y + (y - from_y) * i / count
    put_float(MOUSE_X, mouse_x)
    put_float(MOUSE_X + 4, mouse_y)
    run_ticks(1)
  end
end

ffi.copy(head.magic, "SHOALRPL", 8)
head.format, head.seed, head.tick_rate, head.history_mb = 2, 1, 60, HISTORY_MB
head.history_is_set = 1
local number = 0
for line in io.lines(arg[1]) do
  local command, words = line:match("^(%a+) ?(.*)$")
  number = number + 1
  if line ~= "" and not line:find("^#") then
    if not commands[command] then error(("%s:%d: unknown command: %s"):format(arg[1], number, line), 0) end
    commands[command](words)
  end
end
head.hash = xxhash.XXH3_64bits_withSeed(ffi.cast("char *", head) + 16, ffi.offsetof(head, "hash") - 16, 0)

-- The chunk begins with the pause flag, and a sample of zeros.
local payload = "B" .. encode_number(0) .. encode_number(0) .. table.concat(records)
local chunk = ffi.new("recording_chunk_t", xxhash.XXH3_64bits_withSeed(payload, #payload, 0), #payload)
local file = assert(io.open(arg[2], "wb"))
file:write(ffi.string(head, ffi.sizeof(head)), ffi.string(chunk, ffi.sizeof(chunk)), payload)
file:close()
