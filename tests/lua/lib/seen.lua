-- Lines that the systems of this game record for the tests, and the tests' requests to the systems (`want`). File-level
-- state is allowed because game.lua sets tests = true, and this game is never reloaded.
local M = { log = {}, want = {} }

-- Appends a line; the tests compare the lines in order.
function M.note(...)
  local parts = { ... }
  for i = 1, select("#", ...) do
    parts[i] = tostring(parts[i])
  end
  M.log[#M.log + 1] = table.concat(parts, " ")
end

-- Records the system's name while a test has set `want.order`.
function M.record_order(name)
  if M.want.order then
    M.note("order", name)
  end
end

-- Returns and removes the recorded lines, joined by " | "; with `prefix`, only the lines that start with it.
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
