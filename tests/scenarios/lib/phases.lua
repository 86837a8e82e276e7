-- Reads the table of scripts/shoal/base/phases.lua: luajit phases.lua ROOT COMMAND. `phases` prints the names of the
-- phases, `rows` the names of the rows as a Lua list; `expect PHASE` prints "PHASE NAME allowed" or "PHASE NAME
-- refused" for each row.
local root, command, phase = arg[1], arg[2], arg[3]
local modules = { ["base/report"] = {}, ["base/vm_state"] = {} }
local phases = assert(loadfile(root .. "/scripts/shoal/base/phases.lua"))(function(name)
  return assert(modules[name], name)
end)

local names, rows = {}, phases.list_rows()
for name in pairs(rows) do
  names[#names + 1] = name
end
table.sort(names)
if command == "phases" then
  print(table.concat(phases.NAMES, " "))
elseif command == "rows" then
  print("return {")
  for _, name in ipairs(names) do
    print(("  %q,"):format(name))
  end
  print("}")
else
  for _, name in ipairs(names) do
    print(phase .. " " .. name .. " " .. (rows[name][phase] and "allowed" or "refused"))
  end
end
