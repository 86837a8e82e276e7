-- Systems that do at random whatever a script can do to a world, wrong things included, with reloads on the way.
-- Nothing may crash, and the same seed must give the same world in every configuration.
return { title = "Storm", tests = true }
