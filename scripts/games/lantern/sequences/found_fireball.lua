-- What the chest with the fireball says.
local helm = require "lib.helm"

return {
  { call = helm.take },
  { wait = 0.9 },
  { say = "You have found an ember. It throws balls of fire." },
  { say = "Cold braziers wait for one like this." },
  { call = helm.free },
}
