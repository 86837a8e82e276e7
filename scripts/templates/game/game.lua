return { title = "thing", start = function() world.spawn_many("ball", 20) end }
