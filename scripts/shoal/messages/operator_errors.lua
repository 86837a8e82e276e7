-- Metamethods that raise an error for arithmetic, comparisons, `#`, `..` and calls on columns, components and entities.
local OPERATIONS = { "add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "lt", "le", "len", "call" }

-- Adds the metamethods to a metatable and returns the metatable. They call raise_error(a, b) with both operands;
-- raise_error must throw. Comparing with nil is allowed and returns false.
---@param metatable table
---@param raise_error fun(a: any, b: any)
---@return table metatable
return function(metatable, raise_error)
  function metatable.__eq(a, b)
    return type(a) ~= "nil" and type(b) ~= "nil" and raise_error(a, b)
  end
  for _, operation in ipairs(OPERATIONS) do
    metatable["__" .. operation] = raise_error
  end
  return metatable
end
