-- What the chest with the key says.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { wait = 0.9 },
  { say = "A heavy key of brass. It smells of smoke." },
  { call = helm.free },
}
