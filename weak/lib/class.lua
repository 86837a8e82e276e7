local Class = {}
Class.__index = Class
Class.subclasses = setmetatable({}, { __mode = "k" })
function Class.new(value)
  local metatable = { __index = Class }
  metatable["__mo" .. "de"] = "v"
  return setmetatable({ held = { value }, value = value }, metatable)
end
return Class
