-- Languages: strings by key in strings/, plural forms, and switching at run time. It cycles through the languages until
-- you choose one with keys, pad or mouse. Save a file of strings/ while it runs.
return { title = "Languages", width = 960, height = 540, start = function() world.spawn("screen") end }
