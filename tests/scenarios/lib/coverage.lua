-- luajit coverage.lua FILE MIN: reports the share of native systems over rows (scenarios/native_coverage.sh). FILE has
-- a line per loop: the folder of the game and the output of --explain. Prints systems that are not completely native,
-- with the reason; exits with 1 if the share is below MIN percent.
--
-- Excluded: systems that draw (they write no rows), systems without a loop over rows, systems on demand, and
-- behaviours (functions of one entity).
local file, min_percent = arg[1], tonumber(arg[2])

local NOT_OVER_ROWS = { "a render system", "a function without a loop for i = 1, q.count do", "it runs on demand" }

local function is_over_rows(at, why)
  for _, text in ipairs(NOT_OVER_ROWS) do
    if why == text then
      return false
    end
  end
  return not at:find("^behaviours/")
end

-- Ranks a result of --explain: 3 native, 2 cannot be compiled, 1 too few rows so far. The best result of a loop counts.
local function rank(result)
  return result:find("^native,") and 3 or result:find("^in LuaJIT: fewer than %d+ rows so far") and 1 or 2
end

local loops, found = {}, {}
for line in io.lines(file) do
  local game, loop, at, result = line:match("^(%S+) explain: (.-) %(([^)]*)%): (.*)$")
  local key = game and game .. " " .. loop
  if key and not found[key] then
    found[key] = { key = key, name = loop, at = at, result = result }
    loops[#loops + 1] = found[key]
  elseif key and rank(result) > rank(found[key].result) then
    found[key].at, found[key].result = at, result
  end
end

local systems, by_name = {}, {}
for _, loop in ipairs(loops) do
  local is_native, why = rank(loop.result) == 3, loop.result:gsub("^in LuaJIT: ", "")
  if is_native or is_over_rows(loop.at, why) then
    local key = loop.key:gsub(", loop %d+$", "")
    local system = by_name[key] or { name = key, native = 0, reasons = {} }
    if not by_name[key] then
      by_name[key], systems[#systems + 1] = system, system
    end
    system.native = system.native + (is_native and 1 or 0)
    if not is_native then
      table.insert(system.reasons, ("%s: %s"):format(loop.at, rank(loop.result) == 1 and "not run" or why))
    end
  end
end

local whole, partly = 0, 0
for _, system in ipairs(systems) do
  local all = #system.reasons == 0
  whole, partly = whole + (all and 1 or 0), partly + (not all and system.native > 0 and 1 or 0)
  for _, reason in ipairs(system.reasons) do
    print(("  %-6s %s, %s"):format(system.native > 0 and "partly" or "no", system.name, reason))
  end
end
local share = 100 * whole / #systems
print(("%d systems over rows: %d native, %d partly, %d in LuaJIT: %.1f %%"):format(#systems, whole, partly,
  #systems - whole - partly, share))
if share < min_percent then
  print(("below the minimum of %d %%"):format(min_percent))
  os.exit(1)
end
