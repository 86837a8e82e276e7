-- Reads and writes columns of records in native code; `required` makes a fallback to Lua a load error. Checked by
-- cases/record.lua.
return {
  query = { "appearance", "marker" },
  compile = "required",
  update = function(q)
    local colors = q.appearance.colors
    local r, g = colors.r, colors.g
    for i = 1, q.count do
      r[i] = g[i] * 2
      colors.b[i] = colors.b[i] + q.appearance.size[i]
      q.appearance.colors.deep.tint.x[i] = 0.125
    end
  end,
}
