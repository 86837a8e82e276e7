return { title = "thing", plugins = { "thing" }, start = function() world.spawn("display") end }
