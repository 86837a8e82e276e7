-- Languages: strings by key in strings/, plural forms, and switching at run time. The example cycles through the
-- languages until you choose one with keys, pad or mouse. Edit and save a file of strings/ while this runs.
return { title = "Languages", width = 960, height = 540, start = function() world.spawn("screen") end }
