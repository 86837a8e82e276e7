-- What the systems of this folder have seen, for the tests to read. File-level data is right here: game.lua says
-- tests = true, and the tests are never reloaded.
local M = { log = {}, want = {} }

-- Notes a line; the tests look at them in order.
function M.note(...)
  local parts = { ... }
  for i = 1, select("#", ...) do
    parts[i] = tostring(parts[i])
  end
  M.log[#M.log + 1] = table.concat(parts, " ")
end

-- For the systems whose order is looked at.
function M.order(name)
  if M.want.order then
    M.note("order", name)
  end
end

-- The lines since the last time, as one text with " | " between them; of those that begin with `prefix` only.
function M.take(prefix)
  local out, rest = {}, {}
  for _, line in ipairs(M.log) do
    if not prefix or line:sub(1, #prefix) == prefix then
      out[#out + 1] = line
    else
      rest[#rest + 1] = line
    end
  end
  M.log = rest
  return table.concat(out, " | ")
end

return M
