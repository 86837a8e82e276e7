-- Returns the sorted keys of a table. Unlike the order of pairs, this order is the same in every process.
local need = ...
local report = need("base/report")

local function is_less_by_text(a, b)
  return report.show(a) < report.show(b)
end

---@param t table<any, any>
---@return any[] keys
return function(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  if #keys > 1 then
    table.sort(keys, is_less_by_text)
  end
  return keys
end
