-- What is emitted, and heard by whichever system has a handler for it.
local t = shoal.types
return {
  gathered = { spark = t.entity, worm = t.entity },
  bitten = { spark = t.entity, moth = t.entity },
  digested = { moth = t.entity },
}
