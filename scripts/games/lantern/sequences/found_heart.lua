-- What the chest with the heart says.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { wait = 0.9 },
  { say = "A heart of glass. You feel stronger." },
  { call = helm.free },
}
