-- Menus that open and close without input, and count their events.
return { title = "widgets", width = 640, height = 360, start = function() world.spawn("menu") end }
