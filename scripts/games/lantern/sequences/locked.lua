-- The great door is locked.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { say = "It is locked. Something breathes behind it." },
  { call = helm.free },
}
