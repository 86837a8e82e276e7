-- Evaluates a thousand expressions per tick. Stores the results in columns of every type, which are compared through
-- the world's hash.
local expression, values = require("expression"), require("values")

local BODY = [[
local a, b, c, k, real, short, i32, i16, i8, u8, u16, u32, first, last = ...
for i = first, last do
  local v = %s
  real[i], short[i] = v, v
  i32[i] = %s
  i16[i] = %s
  i8[i], u8[i], u16[i], u32[i] = v, v, v, v
end
]]

local TOLD = { "real", "short", "i32", "i16", "i8", "u8", "u16", "u32" }

-- Fills the columns with special and random numbers; the second half of the rows repeats the first.
local function fill(given, pick, rows)
  local a, b, c, k = given.a, given.b, given.c, given.k
  local function any()
    local v = values.SPECIAL[pick(#values.SPECIAL)]
    local how = pick(4)
    return how == 1 and pick(1000) / 8 or how == 2 and pick(2147483646) - 1073741824.7 or v
  end
  for i = 1, rows do
    a[i], b[i], c[i], k[i] = any(), any(), any(), pick(3) == 1 and pick(200) - 100 or any()
    a[i + rows], b[i + rows], c[i + rows], k[i + rows] = a[i], b[i], c[i], k[i]
  end
end

local function same(x, y)
  return x == y and 1 / x == 1 / y or x ~= x and y ~= y
end

-- Describes the first difference between a row of the first half and its copy in the second half; "" if all are equal.
local function twins_differ(result, rows)
  for _, name in ipairs(TOLD) do
    local column = result[name]
    for i = 1, rows do
      local x, y = column[i], column[i + rows]
      if not same(x, y) then
        return ("; row %d: %s is %.17g interpreted and %.17g compiled"):format(i, name, x, y)
      end
    end
  end
  return ""
end

return {
  query = { "row", "given", "result" },
  update = function(q)
    local rows, given, r = values.ROWS, q.given, q.result
    local pick = values.stream(world.random(1000000000))
    fill(given, pick, rows)
    for n = 1, 1000 do
      local text = expression.random(pick)
      local run = assert(load(BODY:format(text, text, text), "=expression " .. world.tick * 1000 + n))
      local good, problem = pcall(run, given.a, given.b, given.c, given.k, r.real, r.short, r.i32, r.i16, r.i8, r.u8,
        r.u16, r.u32, 1,
        2 * rows)
      print(("%d %s %s%s"):format(world.tick * 1000 + n, world.hash(), text,
        good and twins_differ(r, rows) or "; " .. problem))
    end
  end,
}
