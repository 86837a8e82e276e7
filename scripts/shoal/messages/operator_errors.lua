-- Metamethods that make arithmetic, comparison and calls on columns, components and entities an error.
-- `raise_error(a, b)` receives both operands and throws.
local OPERATIONS = { "add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "lt", "le", "len", "call" }

-- Adds the metamethods to a metatable and returns the metatable. Comparing with nil is allowed and returns false.
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
