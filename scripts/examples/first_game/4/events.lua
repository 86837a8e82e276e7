-- Events: systems emit them, and every system with a handler receives them.
local t = shoal.types
return {
  gathered = { spark = t.entity, worm = t.entity },
  bitten = { spark = t.entity, moth = t.entity },
  digested = { moth = t.entity },
}
