-- Creates weak tables for the engine. Tables of scripts must never be weak, because the garbage collector removes
-- entries of weak tables at a different time in every run. The host therefore renames the field `__mode` of metatables
-- to a secret name (engine/luajit/weak_mode.h), which only this file uses.
local _, native = ...
local METATABLES = {
  k = { [native.weak_mode] = "k" },
  v = { [native.weak_mode] = "v" },
}

---@param mode string "k": the keys are weak; "v": the values are weak
---@return table
return function(mode)
  return setmetatable({}, METATABLES[mode])
end
