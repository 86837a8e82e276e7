return { title = "Weak", start = function() world.spawn(nil, { motion = {} }) end }
