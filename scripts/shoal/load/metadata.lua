-- Appends the metadata (shoal.types.metadata) of the entities named in an error message.
-- Unless a game runs with --metadata, its world does not contain metadata; the loader keeps the declared values.
local need = ...
local abi = need("base/abi")
local handle = need("base/handle")
local report = need("base/report")
local sorted_keys = need("base/sorted_keys")
local text = need("base/string_table")
local loader = need("load/loader")
local components = need("schema/component")

---@class engine.metadata
local M = {}

local MAX_LINES = 4 -- once a message has this many lines, no more entities are added

local function format_values(values)
  local out = {}
  for _, name in ipairs(sorted_keys(values)) do
    local v = values[name]
    out[#out + 1] = name .. " = " .. (type(v) == "string" and ("%q"):format(v) or report.show(v))
  end
  return table.concat(out, ", ")
end

-- Returns the metadata of an assemblage, one line per component: `  author: name = "Ann"`.
---@param assemblage string
---@return string lines "" if there is no metadata
function M.format_metadata(assemblage)
  local metadata, lines = loader.get_metadata(assemblage), {}
  for _, name in ipairs(sorted_keys(metadata)) do
    lines[#lines + 1] = string.format("  %s: %s", name, format_values(metadata[name]))
  end
  return table.concat(lines, "\n")
end

-- Returns the metadata that an entity has in the world, which contains metadata only with --metadata.
local function describe_entity_metadata(id)
  local out = {}
  for name, metadata_schema in pairs(components.metadata) do
    local component = metadata_schema.loaded and components.by_name[name]
    if component and abi.C.world_has_component(abi.world, id, component.id) then
      out[name] = {}
      for _, field in ipairs(component.fields) do
        out[name][field.name] = component.get[field.name](id)
      end
    end
  end
  return out
end

-- Returns the metadata of the living entities with an assemblage that `message` names, one line per entity and
-- metadata component: `entity(12:0 tank): author: name = "Ann"`; "" if they have no metadata. Adds no more entities
-- once there are MAX_LINES or more lines.
---@param message string
---@return string lines
function M.describe_entities(message)
  local lines, described = {}, {}
  for index, generation in message:gmatch("entity%((%d+):(%d+)") do
    local id = tonumber(index) + tonumber(generation) * 2 ^ 22
    local assemblage = handle.is_alive(id) and abi.entities.assemblage[tonumber(index)] or 0
    if assemblage ~= 0 and not described[id] and #lines < MAX_LINES then
      described[id] = true
      local metadata = loader.get_metadata(text.get_text(assemblage))
      for name, values in pairs(describe_entity_metadata(id)) do
        metadata[name] = values
      end
      for _, name in ipairs(sorted_keys(metadata)) do
        lines[#lines + 1] = string.format("%s: %s: %s", components.format_title(id), name,
          format_values(metadata[name]))
      end
    end
  end
  return table.concat(lines, "\n")
end

return M
