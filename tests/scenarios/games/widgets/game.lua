-- Menus that come and go by themselves, and count what they hear.
return { title = "widgets", width = 640, height = 360, start = function() world.spawn("menu") end }
