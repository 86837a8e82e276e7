-- Systems that change the world at random in every way available to scripts, including invalid calls, with reloads in
-- between. The game must not crash, and the same seed must give the same world in every configuration.
return { title = "Storm", tests = true }
