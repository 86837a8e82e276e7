-- The water in which the menu's fish swim: a strip at the top, to the right of the texts.
local M = { LEFT = 690, RIGHT = 1310, TOP = -30, BOTTOM = 104 }

-- Sets the positions, sizes and colours of new fish. `q`: the columns of world.spawn_many.
function M.fill(q)
  for i = 1, q.count do
    q.transform.x[i] = world.random(M.LEFT, M.RIGHT)
    q.transform.y[i] = world.random(M.TOP, M.BOTTOM)
    local size = 0.5 + world.random() * 0.7
    q.transform.scale_x[i], q.transform.scale_y[i] = size, size
    q.swim.speed[i] = 40 + 50 * size
    q.swim.phase[i] = world.random() * 6.28
    q.shape.colour.r[i] = 0.1 + 0.1 * size
    q.shape.colour.g[i] = 0.35 + 0.3 * size
    q.shape.colour.b[i] = 0.55 + 0.35 * size
    q.shape.colour.a[i] = 0.25 + 0.35 * size
  end
end

return M
