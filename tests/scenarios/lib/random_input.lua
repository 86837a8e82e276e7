-- Writes a recording (time/recording.h) with random input: luajit random_input.lua FILE TICKS SEED [window | TITLE]
-- [PRESSES]. The input is keys for Rockfall (the game asteroids) or for the game TITLE; PRESSES lists them instead of
-- random ones: "TICK:SCANCODE …" or "FIRST-LAST:SCANCODE …"; with scancode 0, the game is paused in these frames;
-- "FIRST-LAST:mouse DX DY" moves the mouse in each of these ticks. With PRESSES "players", 8 players press the actions
-- of the game, and join and leave. `window` instead minimises, resizes and closes the window, connects pads, presses
-- buttons and keys, moves the mouse and clicks; for the game `widgets` the input also points, clicks and types. The
-- recording has no hashes; `shoal … --replay FILE --record OTHER` adds them.
package.path = arg[0]:gsub("tests/scenarios/lib/[^/]*$", "") .. "scripts/build/?.lua;" .. package.path
local ffi = require("ffi")
local recording_file = require("recording_file")
local path, ticks, seed, window = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4] == "window"

-- Scancodes.
local RETURN, SPACE, RIGHT, LEFT, UP = 40, 44, 79, 80, 82
local KEYS = { SPACE, RIGHT, LEFT, UP }
-- WINDOW: offset of the window's bytes, which follow the bytes of all devices: width and height (two bytes each),
-- minimised, unfocused, fullscreen, closed. SAMPLE: size of a sample in bytes.
local WINDOW, SAMPLE = 728, arg[5] == "players" and 1848 or (window or (arg[5] or ""):find "mouse") and 3912 or 872
-- Offsets of `has_players`, the bits of the players, and their inputs: 64 values, bits of presses and of releases
-- (platform/player_input.h).
local HAS_PLAYERS, PRESENT, PLAYERS, PLAYER, PRESSED, RELEASED = 872, 880, 888, 88, 64, 72
local ACTIONS, PAUSE = 12, 3 -- PAUSE: the action that pauses Rockfall or Bounty Hunter, which a recording cannot replay
local PAD_BUTTONS, PAD_CONNECTED = 512, 704 -- offsets; a pad has 24 bytes of buttons and one byte `connected`
local MOUSE_LEFT, MOUSE_X, WHEEL, TEXT, MOTION = 709, 716, 724, 744, 3904
local down, state = {}, seed * 2654435761 % 2 ^ 32
local presses = {} -- { first tick, last tick, scancode }
for first, last, code in (arg[5] or ""):gmatch "(%d+)%-?(%d*):(%d+)" do
  presses[#presses + 1] = { tonumber(first), tonumber(last) or tonumber(first) + 2, tonumber(code) }
end

local moves = {} -- { first tick, last tick, dx, dy }
for first, last, dx, dy in (arg[5] or ""):gmatch "(%d+)%-(%d+):mouse (%S+) (%S+)" do
  moves[#moves + 1] = { tonumber(first), tonumber(last), tonumber(dx), tonumber(dy) }
end

local function one_in(n)
  state = (state * 1664525 + 1013904223) % 2 ^ 32
  return math.floor(state / 65536) % n == 0
end

local function press_keys(tick)
  down[RETURN] = tick % 240 == 20 and 1 or 0
  for _, code in ipairs(KEYS) do
    if one_in(code == SPACE and 4 or 20) then
      down[code] = 1 - (down[code] or 0)
    end
  end
end

local function press_listed_keys(tick)
  for _, press in ipairs(presses) do
    down[press[3]] = 0
  end
  for _, press in ipairs(presses) do
    if tick >= press[1] and tick <= press[2] and press[3] > 0 then
      down[press[3]] = 1
    end
  end
end

-- All players take part at first; from tick 120 on, players 2 to 8 leave and join.
local function press_actions(tick)
  down[HAS_PLAYERS], down[PRESENT] = 1, down[PRESENT] or 255
  if tick > 120 and one_in(40) then
    down[PRESENT] = bit.bor(bit.bxor(down[PRESENT], bit.lshift(1, state % 8)), 1)
  end
  for player = 0, 7 do
    local at = PLAYERS + player * PLAYER
    for i = 0, 15 do
      down[at + PRESSED + i] = 0
    end
    local is_present = bit.band(down[PRESENT], bit.lshift(1, player)) ~= 0
    for action = 0, ACTIONS - 1 do
      local was_down = (down[at + action] or 0) ~= 0
      local is_down = is_present and action ~= PAUSE and was_down ~= one_in(12)
      if is_down ~= was_down then
        local byte = at + (is_down and PRESSED or RELEASED) + math.floor(action / 8)
        down[byte] = bit.bor(down[byte], bit.lshift(1, action % 8))
      end
      down[at + action] = is_down and 127 or 0
    end
  end
end

local function is_paused(tick)
  for _, press in ipairs(presses) do
    if press[3] == 0 and tick >= press[1] and tick <= press[2] then
      return true
    end
  end
  return false
end

local float, bytes = ffi.new("float[1]"), ffi.new("uint8_t[4]")

local function put_float(at, v)
  float[0] = v
  ffi.copy(bytes, float, 4)
  for i = 0, 3 do
    down[at + i] = bytes[i]
  end
end

local function move_mouse(tick)
  for _, move in ipairs(moves) do
    local is_moving = tick >= move[1] and tick <= move[2]
    put_float(MOTION, is_moving and move[3] or 0)
    put_float(MOTION + 4, is_moving and move[4] or 0)
  end
end

local function use_window()
  down[WINDOW + 1] = one_in(9) and 1 + (down[WINDOW + 1] or 1) % 4 or down[WINDOW + 1] or 2 -- 256 to 1,024 pixels
  down[WINDOW + 3] = 1
  for at = WINDOW + 4, WINDOW + 6 do
    if one_in(12) then
      down[at] = 1 - (down[at] or 0)
    end
  end
  down[WINDOW + 7] = one_in(15) and 1 or 0
  for _, at in ipairs { SPACE, PAD_CONNECTED + 1, PAD_BUTTONS + 24 + 1 } do -- second pad, its button "b"
    if one_in(15) then
      down[at] = 1 - (down[at] or 0)
    end
  end
  if one_in(10) then
    down[MOUSE_LEFT] = 1 - (down[MOUSE_LEFT] or 0)
    put_float(MOUSE_X, state % 640)
  end
  put_float(WHEEL, one_in(20) and 2 or 0)
  put_float(MOTION, state % 64 - 32)
  put_float(MOTION + 4, state % 7 / 4)
end

local function use_widgets(tick)
  for code = 79, 82 do
    down[code] = one_in(5) and 1 or 0
  end
  down[RETURN] = one_in(8) and 1 or 0
  down[SPACE] = one_in(15) and 1 or 0
  down[43] = one_in(12) and 1 or 0 -- tab
  down[42] = one_in(9) and 1 or 0 -- backspace
  if one_in(4) then
    put_float(MOUSE_X, 120 + state % 400)
    put_float(MOUSE_X + 4, 60 + math.floor(state / 65536) % 240)
  end
  if one_in(6) then
    down[MOUSE_LEFT] = 1 - (down[MOUSE_LEFT] or 0)
  end
  put_float(WHEEL, one_in(10) and (one_in(2) and 1 or -1) or 0)
  local text = one_in(3) and ({ "a", "é", "に", "\255" })[tick % 4 + 1] or ""
  for i = 1, 3 do
    down[TEXT + i - 1] = text:byte(i) or 0
  end
end

local recording =
  recording_file.create(path, { game = not window and arg[4] or "Rockfall", seed = seed, history_mb = 64 })
for tick = 1, ticks do
  if window then
    use_window()
  elseif arg[4] == "widgets" then
    use_widgets(tick)
  elseif arg[5] == "players" then
    press_actions(tick)
  elseif arg[5] then
    press_listed_keys(tick)
    move_mouse(tick)
  else
    press_keys(tick)
  end
  recording[is_paused(tick) and "add_frame" or "add_tick"](recording, down, SAMPLE)
end
recording:close()
