-- Uses rope.c if it is built and `require "ffi"` is allowed, otherwise the same calculation in Lua. The state of the
-- rope is in columns, because FFI memory is neither saved nor rewound.
local granted, ffi = pcall(require, "ffi")
local built, library = false, nil
if granted then
  ffi.cdef "void rope_step(double *height, double *speed, int count, double dt_s);"
  built, library = pcall(ffi.load, "rope")
end

local M = { by = built and "rope.c" or "Lua" }

-- Returns two arrays with space for `count` numbers, indexed from 0.
function M.lists(count)
  if built then
    return ffi.new("double[?]", count), ffi.new("double[?]", count)
  end
  return {}, {}
end

function M.step(height, speed, count, dt)
  if built then
    library.rope_step(height, speed, count, dt)
    return
  end
  for i = 1, count - 2 do
    speed[i] = (speed[i] + (height[i - 1] + height[i + 1] - 2 * height[i]) * 400 * dt) * 0.999
  end
  for i = 1, count - 2 do
    height[i] = height[i] + speed[i] * dt
  end
end

return M
