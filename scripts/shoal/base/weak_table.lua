-- Creates weak tables for the engine. The host renames the field `__mode` of metatables to a secret name, so that
-- tables of scripts are never weak: the collector removes entries at a different time in every run
-- (engine/luajit/weak_mode.h).
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
