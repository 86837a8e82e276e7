-- Finds the lines of declarations in assemblage files.
local need = ...
local report = need("base/report")

-- Returns the line of a declaration. `path`: keys of the declaration, starting with the assemblage's name;
-- "tank/turret" for a child.
---@param at engine.At
---@param path (string|number)[]
---@return integer
return function(at, path)
  local keys, name, position = {}, report.show(path[1]), report.get_positions(at)
  local function add_key(key)
    keys[#keys + 1] = key
    position = type(position) == "table" and (position[key] or position[tonumber(key)]) or nil
  end
  for part in (at.addon and name:gsub("^[^.]+%.", "") or name):gmatch("[^/]+") do
    if #keys > 0 then
      add_key("children")
    end
    add_key(part)
  end
  for i = 2, #path do
    -- Omits the key `components` if a child lists its components next to its other keys.
    local is_omitted = i == 2 and path[i] == "components" and type(position) == "table" and not position.components
    if not is_omitted then
      add_key(path[i])
    end
  end
  return report.find_line_of_path(at, unpack(keys))
end
