-- Metamethods that make arithmetic, comparison and calls on columns, components and entities an error. `complain(a, b)`
-- receives both operands and throws.
local OPERATIONS = { "add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "lt", "le", "len", "call" }

-- Adds the metamethods to a metatable and returns the metatable. Comparing with nil is allowed and returns false.
---@param metatable table
---@param complain fun(a: any, b: any)
---@return table metatable
return function(metatable, complain)
  function metatable.__eq(a, b)
    return type(a) ~= "nil" and type(b) ~= "nil" and complain(a, b)
  end
  for _, operation in ipairs(OPERATIONS) do
    metatable["__" .. operation] = complain
  end
  return metatable
end
