-- A game that shows the plugin.
return { title = "thing", plugins = { "thing" }, start = function() world.spawn("display") end }
