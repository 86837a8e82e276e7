-- Languages: texts by key in strings/, plural forms, switched while it runs. It goes through them by itself until
-- somebody chooses one, by keys, pad or mouse. Save a file of strings/ while it runs.
return { title = "Languages", width = 960, height = 540, start = function() world.spawn("screen") end }
