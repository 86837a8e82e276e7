-- Languages: strings by key in strings/, plural forms, and changing the language at run time. The example cycles
-- through the languages until you use a widget. Edit and save a file of strings/ while this runs.
return {
  title = "Languages", width = 960, height = 540, addons = { "caption" },
  start = function() world.spawn("screen") end,
}
