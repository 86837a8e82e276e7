-- Which systems over rows are native (scenarios/natives_coverage.sh): luajit coverage.lua FILE LEAST, where FILE has a
-- line for each loop, its game's folder and what --explain says of it. Prints those that are not wholly native, with
-- the reason; LEAST is the share, in percent, below which that is a failure.
--
-- Systems that draw have no rows to store to, and behaviours are functions of one entity: neither is counted.
local file, least = arg[1], tonumber(arg[2])

local NOT_OVER_ROWS = { "it draws", "it has no loop for i = 1, q.count do", "it runs on demand" }

local function is_over_rows(name, why)
  for _, words in ipairs(NOT_OVER_ROWS) do
    if why == words then
      return false
    end
  end
  return not name:find("^behaviours/")
end

local systems, by_name = {}, {}
for line in io.lines(file) do
  local game, loop, at, said = line:match("^(%S+) explain: (.-) %(([^)]*)%): (.*)$")
  local name = loop and loop:gsub(", loop %d+$", "")
  local is_native = said and said:find("^native,") ~= nil
  local why = said and said:gsub("^in LuaJIT: ", "")
  if name and (is_native or is_over_rows(name, why)) then
    local key = game .. " " .. name
    local system = by_name[key] or { name = key, native = 0, reasons = {} }
    if not by_name[key] then
      by_name[key], systems[#systems + 1] = system, system
    end
    system.native = system.native + (is_native and 1 or 0)
    if not is_native then
      why = why:gsub("^it has not had %d+ rows at once$", "it did not run")
      table.insert(system.reasons, ("%s: %s"):format(at, why))
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
