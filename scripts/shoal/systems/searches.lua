-- Finds the systems whose code may call a spatial query, such as world.near. The positions of all bodies are copied
-- when these systems start, because their queries answer for that moment (engine/collision/body_grid.h). Other systems
-- do not pay for the copy. The texts are searched for names, so a system that calls no query may be found as well. If a
-- system calls a query under a computed name, its queries answer for the moment of the first one.
local M = {}

local NAMES = { "near", "near_count", "nearest", "nearest_many", "box", "ray", "way" }

local function calls_query(text)
  for _, name in ipairs(NAMES) do
    if text:find("[.:]%s*" .. name .. "%f[^%w_]") or text:find("%[%s*[\"']" .. name .. "[\"']") then
      return true
    end
  end
  return false
end

-- Returns the word that code must contain to run code of a file that is not a system: the name of the module, behaviour
-- or sequence.
local function word_of(file)
  return (file:match("([^/]+)%.lua$") or file):match("[%w_]+$")
end

-- Adds to `found` the files whose text contains the name of a file in `found`, directly or through other files.
local function add_callers(found, texts, files)
  local queue = {}
  for _, file in ipairs(files) do
    queue[#queue + 1] = found[file] and not file:find("systems/") and file or nil
  end
  for _, callee in ipairs(queue) do -- grows
    local word = word_of(callee)
    for _, file in ipairs(word and files or {}) do
      if not found[file] and texts[file]:find("%f[%w_]" .. word .. "%f[^%w_]") then
        found[file] = true
        queue[#queue + 1] = not file:find("systems/") and file or nil
      end
    end
  end
end

-- Sets the field `searches` of the systems whose files may call a query. `files`: all Lua files of the game; `texts`:
-- their contents.
---@param systems engine.System[]
---@param files string[]
---@param texts table<string, string>
function M.mark(systems, files, texts)
  local found, any = {}, false
  for _, file in ipairs(files) do
    found[file] = calls_query(texts[file]) or nil
    any = any or found[file]
  end
  if any then
    add_callers(found, texts, files)
  end
  for _, system in ipairs(systems) do
    system.searches = found[system.at.file] or false
  end
end

return M
