-- Writes mutated copies of Lua files: luajit mutated_files.lua SEED COUNT FOLDER FILE…. In each copy, one to three
-- parts are deleted, repeated, exchanged or inserted, or its end is missing.
local seed, count, folder = tonumber(arg[1]), tonumber(arg[2]), arg[3]

local state = seed * 7919 + 17
local function below(n)
  state = (state * 16807) % 2147483647
  return state % n
end

local function read(name)
  local file = assert(io.open(name))
  local text = file:read("*a")
  file:close()
  return text
end

local INSERTED = { "end", "function", "(", ")", "{", "}", "local", "do", "then", "=", "for", "until", "repeat", "...",
  "[[", "]]", "\"", "--[[", "..", ":", ";", "goto", "return", "if", "elseif", "e", "world.each", "0x", "\\", "::",
  "\0" }

local function split(text)
  local parts = {}
  for part in text:gmatch("[%w_]*[^%w_]?") do
    parts[#parts + 1] = part
  end
  return parts
end

local function mutate(text)
  local parts = split(text)
  for _ = 1, 1 + below(3) do
    local i, kind = 1 + below(#parts), below(5)
    if kind == 0 then
      table.remove(parts, i)
    elseif kind == 1 then
      table.insert(parts, i, parts[1 + below(#parts)])
    elseif kind == 2 then
      parts[i], parts[1 + below(#parts)] = parts[1 + below(#parts)], parts[i]
    elseif kind == 3 then
      table.insert(parts, i, INSERTED[1 + below(#INSERTED)] .. " ")
    else
      for k = #parts, math.max(i, 2), -1 do -- a file that is cut off
        parts[k] = below(4) > 0 and nil or parts[k]
      end
    end
  end
  local out = {}
  for i = 1, table.maxn(parts) do
    out[#out + 1] = parts[i]
  end
  return table.concat(out)
end

for i = 1, count do
  local source = arg[4 + below(#arg - 3)]
  local file = assert(io.open(("%s/m%04d.lua"):format(folder, i), "w"))
  file:write(mutate(read(source)))
  file:close()
end
