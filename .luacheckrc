std = "luajit"
max_line_length = 140
unused_args = false -- a system's function is called with more than it may need
read_globals = { "shoal", "world", "input", "assets", "draw", "audio", "log" }
files["scripts/**/game.lua"].globals = { "world" } -- world.single.score.value = …
exclude_files = { "build" }
