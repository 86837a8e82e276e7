-- Three hundred bodies that tumble: vectors, quaternions and matrices in hot loops. `tests` lets it ask for the heap.
return { title = "Vectors", tests = true, start = function() world.spawn_many("rock", 300) end }
