-- Creates weak tables for the engine. Tables of scripts must never be weak, because the garbage collector removes
-- entries of weak tables at a different time in every run. Shoal's LuaJIT therefore ignores strings in `__mode`, and
-- expects a light userdata, which scripts cannot create.
local _, native = ...
local METATABLES = {
  k = { __mode = native.weak_keys },
  v = { __mode = native.weak_values },
}

---@param mode string "k": the keys are weak; "v": the values are weak
---@return table
return function(mode)
  return setmetatable({}, METATABLES[mode])
end
