-- Saves files of a game as editors and version control do. Usage: luajit save_patterns.lua GAME PATTERN TIMES SEED.
-- The exit status is 3 if a busy machine has suspended this program in the middle of a save for so long that the game
-- may take the unfinished files for the result of the save.
-- Each save begins shortly after game.lua was saved, so that a reload reads the files at the same time.
local ffi = require "ffi"
ffi.cdef [[
int usleep(unsigned microseconds);
typedef struct { long seconds, nanoseconds; } save_patterns_time;
int clock_gettime(int clock, save_patterns_time *out);
]]
local MAX_STEP_S = 0.35 -- less than FILE_RETRY_WAIT_S, after which the game reads unfinished files for the last time
local CLOCK_MONOTONIC = 1

local game, pattern, times, seed = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4])
math.randomseed(seed)

local function wait(min_s, max_s)
  ffi.C.usleep((min_s + math.random() * (max_s - min_s)) * 1e6)
end
local function now_s()
  local time = ffi.new "save_patterns_time"
  ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local step_began_s, was_suspended = 0, false
local function begin_step() step_began_s = now_s() end
local function end_step()
  local time_s = now_s()
  was_suspended = was_suspended or time_s - step_began_s > MAX_STEP_S
  step_began_s = time_s
end

-- The time between two steps of a save: mostly a few milliseconds, sometimes longer.
local function pause()
  wait(0, math.random() < 0.2 and 0.15 or 0.005)
  end_step()
end

local function rename(from, to)
  assert(os.rename(from, to))
end
local function read(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  return text
end
local function write(path, text, mode)
  local file = assert(io.open(path, mode or "w"))
  file:write(text)
  file:close()
end

local patterns = {
  in_place = function(path, text) write(path, text, "r+") end,
  in_parts = function(path, text)
    local file = assert(io.open(path, "w"))
    for part = 0, 2 do
      pause()
      file:write(text:sub(math.floor(part * #text / 3) + 1, math.floor((part + 1) * #text / 3)))
      file:flush()
    end
    file:close()
  end,
  rename_over = function(path, text)
    write(path .. ".tmp", text)
    pause()
    rename(path .. ".tmp", path)
  end,
  backup = function(path, text)
    rename(path, path .. "~")
    pause()
    write(path, text)
    pause()
    os.remove(path .. "~")
  end,
  unlink = function(path, text)
    os.remove(path)
    pause()
    write(path, text)
  end,
  folder = function(path, text)
    local folder, name = path:match("^(.*)/([^/]*)$")
    local new, old = game .. "/../new", game .. "/../old"
    assert(os.execute(("rm -rf %s %s && cp -r %s %s"):format(new, old, folder, new)) == 0, folder)
    write(new .. "/" .. name, text)
    begin_step() -- the game has seen no change yet
    rename(folder, old)
    pause()
    rename(new, folder)
  end,
}

local paths = { game .. "/components/gold.lua", game .. "/systems/count.lua" }
for i = 1, times do
  local path = paths[i % 2 + 1]
  local text = read(path):gsub("%-%- save %d+\n", "") .. ("-- save %d\n"):format(i)
  write(game .. "/game.lua", "\n", "a")
  wait(0.03, 0.15)
  begin_step()
  patterns[pattern](path, text)
  end_step()
  wait(0.05, 0.6)
end
os.exit(was_suspended and 3 or 0)
