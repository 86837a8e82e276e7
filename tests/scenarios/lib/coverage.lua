-- Which systems over rows are native (scenarios/natives_coverage.sh): luajit coverage.lua FILE MIN, where FILE has a
-- line for each loop, its game's folder and what --explain says of it. Prints those that are not wholly native, with
-- the reason; MIN is the share, in percent, below which that is a failure.
--
-- Systems that draw have no rows to store to, and behaviours are functions of one entity: neither is counted.
local file, least = arg[1], tonumber(arg[2])

local NOT_OVER_ROWS = { "it draws", "it has no loop for i = 1, q.count do", "it runs on demand" }

local function is_over_rows(at, why)
  for _, words in ipairs(NOT_OVER_ROWS) do
    if why == words then
      return false
    end
  end
  return not at:find("^behaviours/")
end

-- What is said of a loop in the run in which it came furthest: native, refused, not run.
local function worth(said)
  return said:find("^native,") and 3 or said:find("^in LuaJIT: it has not had %d+ rows") and 1 or 2
end

local loops, found = {}, {}
for line in io.lines(file) do
  local game, loop, at, said = line:match("^(%S+) explain: (.-) %(([^)]*)%): (.*)$")
  local key = game and game .. " " .. loop
  if key and not found[key] then
    found[key] = { key = key, name = loop, at = at, said = said }
    loops[#loops + 1] = found[key]
  elseif key and worth(said) > worth(found[key].said) then
    found[key].at, found[key].said = at, said
  end
end

local systems, by_name = {}, {}
for _, loop in ipairs(loops) do
  local is_native, why = worth(loop.said) == 3, loop.said:gsub("^in LuaJIT: ", "")
  if is_native or is_over_rows(loop.at, why) then
    local key = loop.key:gsub(", loop %d+$", "")
    local system = by_name[key] or { name = key, native = 0, reasons = {} }
    if not by_name[key] then
      by_name[key], systems[#systems + 1] = system, system
    end
    system.native = system.native + (is_native and 1 or 0)
    if not is_native then
      table.insert(system.reasons, ("%s: %s"):format(loop.at, worth(loop.said) == 1 and "it did not run" or why))
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
if share < least then
  print(("that is less than %d %%"):format(least))
  os.exit(1)
end
