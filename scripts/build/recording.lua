-- Writes a recording by hand, from a text: luajit recording.lua TEXT FILE. The recording has no hashes, so it can still
-- be replayed after the game has changed. Lines of the text; empty lines, and lines that begin with #, are ignored:
--
--   game TITLE       title of the game; the first line
--   seed N           seed of the world's random numbers (1)
--   mouse X Y [N]    moves the mouse to X, Y in logical pixels, over N ticks (1)
--   press KEY        presses a key (its scancode, as in engine/media/platform/input.h) or mouse:left
--   release KEY      releases the key
--   wait N           runs N ticks
--   rewind N         goes back N ticks, one by one, as F9 does
--   console LINE     runs a line of Lua between two ticks, as the console does
--   pause N          shows N frames of a game that the console has paused (world.pause(true))
--   resume           resumes the game with new input, not with the input that was recorded before `rewind`
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local ffi = require("ffi")
local recording_file = require("recording_file")

local SAMPLE_BYTES, MOUSE_LEFT, MOUSE_X = 872, 709, 716 -- size of a sample, and offsets in it
local HISTORY_MB = 480 -- history limit of recordings that use `rewind`
local options = { game = "", seed = 1, history_mb = HISTORY_MB, history_is_set = true }
local current = {} -- bytes of the sample, by offset
local recording ---@type RecordingFile

local function put_float(offset, value)
  local bytes = ffi.cast("uint8_t *", ffi.new("float[1]", value))
  for i = 0, 3 do current[offset + i] = bytes[i] end
end

local function run_ticks(count)
  for _ = 1, count do recording:add_tick(current, SAMPLE_BYTES) end
end

local mouse_x, mouse_y = 0, 0
local commands = {}
function commands.game(title) options.game = title end
function commands.seed(seed) options.seed = tonumber(seed) end
function commands.wait(ticks) run_ticks(tonumber(ticks)) end
function commands.press(key) current[key == "mouse:left" and MOUSE_LEFT or tonumber(key)] = 1 end
function commands.release(key) current[key == "mouse:left" and MOUSE_LEFT or tonumber(key)] = 0 end
function commands.rewind(ticks)
  for _ = 1, tonumber(ticks) do recording:rewind() end
end
function commands.console(line) recording:run_console(line) end
function commands.pause(frames)
  for _ = 1, tonumber(frames) do recording:add_frame(current, SAMPLE_BYTES) end
end
function commands.resume() recording:resume() end
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

local number = 0
for line in io.lines(arg[1]) do
  local command, words = line:match("^(%a+) ?(.*)$")
  number = number + 1
  if line ~= "" and not line:find("^#") then
    if not commands[command] then error(("%s:%d: unknown command: %s"):format(arg[1], number, line), 0) end
    if not recording and command ~= "game" and command ~= "seed" then
      recording = recording_file.create(arg[2], options)
    end
    commands[command](words)
  end
end
recording:close()
