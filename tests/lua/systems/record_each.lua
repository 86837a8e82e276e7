-- Accesses records of entities in native code. Checked by cases/record.lua.
return {
  after = "record_columns",
  query = { "appearance", "target", "marker" },
  compile = "required",
  each = function(e)
    local colors, lookup = e.appearance.colors, world.lookup("appearance")
    colors.deep.tint.y = colors.r + 1
    colors.g = e.target.entity.appearance.colors.b + (lookup.colors.r[e.target.entity] or 0)
  end,
}
