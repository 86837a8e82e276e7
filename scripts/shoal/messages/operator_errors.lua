-- Metamethods for what is no number: columns, components and entities say what they are when somebody calculates with
-- them. `complain(a, b)` gets both operands and throws.
local OPERATIONS = { "add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "lt", "le", "len", "call" }

-- Anything may be compared with nil, and is not equal to it.
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
