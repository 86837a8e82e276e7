local M = {}

-- Returns the stack of `item` that `owner` carries, or nil.
function M.find(owner, item)
  for _, e in ipairs(world.who_targets(owner, "stack.owner")) do
    if e.stack.item == item and e:alive() then return e end
  end
end

function M.give(owner, item, count)
  local e = M.find(owner, item)
  if e then
    e.stack.count = e.stack.count + count
  else
    world.spawn("stack", { stack = { owner = owner, item = item, count = count } })
  end
end

function M.take(owner, item, count)
  local e = M.find(owner, item)
  e.stack.count = e.stack.count - count
  if e.stack.count == 0 then e:destroy() end
end

return M
