-- Three hundred tumbling bodies: vectors, quaternions and matrices in hot loops. `tests` allows
-- collectgarbage("count").
return { title = "Vectors", tests = true, start = function() world.spawn_many("rock", 300) end }
