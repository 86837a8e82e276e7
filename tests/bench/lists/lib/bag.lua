local M = {}

function M.count(items, kind)
  local n = 0
  for i = 1, #items do
    if items[i] == kind then n = n + 1 end
  end
  return n
end

function M.take(items, kind, n)
  for i = #items, 1, -1 do
    if n > 0 and items[i] == kind then
      items:remove(i)
      n = n - 1
    end
  end
end

return M
