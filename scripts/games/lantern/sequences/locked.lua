-- The great door is locked.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { say = "@found.locked" },
  { call = helm.free },
}
