-- luajit trace_report.lua FILE FOLDER: reads the log of trace_log.lua for the game in FOLDER. Prints the loops of its
-- systems that LuaJIT tried to compile but never did, and their branches that run in the interpreter, each with the
-- reason.
--
-- Not reported:
-- - A trace that was aborted and later compiled.
-- - A loop around short loops that are compiled themselves.
-- - A loop that ended while it was recorded: it has too few rows to matter.
-- - The end of a body: the engine's code that calls bodies is never compiled (base/interpreted.lua).
-- - Functions created for each call: callbacks of world.spawn_many, and the engine's own functions if the end of a loop
--   leads into a spawn.
-- - A branch to an entity seen for the first time, whose handle C creates: the next row runs compiled again.
-- - A field seen for the first time while its loop was recorded, because its code was generated at that point: a loop
--   over few rows may not be recorded again before the run ends.
local log, folder = arg[1], arg[2]

local HARMLESS = { "^leaving loop in root trace", "^inner loop in root trace", "^symbol not in cache",
  "^retry recording", "^loop unroll limit", "^return to interpreted code" }

-- Returns true if the trace ended in a function of scripts/shoal/base/handle.lua that is never compiled.
local function is_handle_creation(why, ended)
  return ended:find("^%[shoal%]/base/handle%.lua:") and (why:find("^JIT compilation disabled") or why == "blacklisted")
end

-- Returns the first lines of the functions in schema/component.lua that generate code for a field and for a
-- component's rows.
local function find_generators()
  local line, places, count = 0, {}, 0
  for text in io.lines("scripts/shoal/schema/component.lua") do
    line = line + 1
    if text:find("^  local function generate_value%(t, name%)") or text:find("^local function create_member%(") then
      places["[shoal]/schema/component.lua:" .. line], count = true, count + 1
    end
  end
  assert(count == 2, "`generate_value` or `create_member` not found in scripts/shoal/schema/component.lua")
  return places
end
local GENERATORS = find_generators()

local function is_harmless(why, ended)
  if GENERATORS[ended] and (why:find("^JIT compilation disabled") or why == "blacklisted") then return true end
  for _, pattern in ipairs(HARMLESS) do
    if why:find(pattern) then return true end
  end
  if why:find("^NYI: bytecode 51") and ended:find("^%[shoal%]") then return true end
  local file, line = ended:match("^(.*):(%d+)$")
  local source = why:find("^NYI: bytecode") and io.open(folder .. "/" .. file)
  if not source then return false end
  local text = {}
  for each in source:lines() do text[#text + 1] = each end
  source:close()
  -- The creation of a closure is attributed to the closing line of its function literal.
  for at = tonumber(line), math.max(1, tonumber(line) - 40), -1 do
    if text[at] and text[at]:find("spawn_many") then return true end
  end
  return false
end

local made, given_up, order = {}, {}, {}

for line in io.lines(log) do
  local what, kind, root, at, exit, ended, why = line:match("^(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.*)$")
  local key = kind == "side" and root .. " " .. exit or at -- the line "flushed" has no other fields
  if what and kind ~= "function" and root:find("^systems/") then
    if what == "made" then
      made[key] = true
    elseif why == "interpreter" and given_up[key] then
      given_up[key].left = true
    else
      if not given_up[key] then table.insert(order, key) end
      given_up[key] = { root = root, ended = ended, why = why, kind = kind, left = why == "interpreter" }
    end
  end
end

for _, key in ipairs(order) do
  local fault = given_up[key]
  if not made[key] and (fault.kind == "loop" or fault.left) and not is_harmless(fault.why, fault.ended)
    and not (fault.kind == "side" and is_handle_creation(fault.why, fault.ended)) then
    print(("%s: %s, at %s: %s"):format(fault.root,
      fault.kind == "loop" and "the loop is not compiled" or "a branch is not compiled",
      fault.ended, fault.why))
  end
end
