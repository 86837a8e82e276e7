-- kind1 … kind26: kinds 1 to 13 have a position, a velocity and health, 14 and 15 only position and velocity, and the
-- rest only one of the three. The kinds also differ in other components, which no system reads.
local OTHERS, KINDS = { "armour", "team", "target", "noise" }, {}
for i = 1, 26 do
  local components = {}
  if i <= 19 then components.position = {} end
  if i <= 15 or i >= 20 and i <= 23 then components.velocity = {} end
  if i <= 13 or i >= 24 then components.health = {} end
  for k, name in ipairs(OTHERS) do
    if math.floor(i / 2 ^ (k - 1)) % 2 == 1 then components[name] = {} end
  end
  KINDS["kind" .. i] = { components = components }
end
return KINDS
