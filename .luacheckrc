std = "luajit"
max_line_length = false -- tests/prose.lua measures lines
unused_args = false -- a system's function is called with more than it may need
read_globals = {
  "shoal", "input", "window", "assets", "draw", "audio", "music", "log", "json", "players", "chronicle", "reload", "utf8", "tr",
  settings = { read_only = false, other_fields = true },
  world = { other_fields = true, fields = { single = { read_only = false, other_fields = true } } },
}
files["scripts/shoal/menu"].read_globals = { "menu" }
files["scripts/shoal/lobby"].read_globals = { "lobby" }
files["scripts/types"].ignore = { "1", "241" } -- it declares what others only read
files["tests/bench/love"].std = "luajit+love"
files["tests/bench/draw_love"].std = "luajit+love"
files["engine/docs/site/site.lua"] = { std = "lua53", globals = { "Pandoc" }, read_globals = { "pandoc", "PANDOC_WRITER_OPTIONS" } }
files["premake5.lua"].ignore = { "1" } -- globals of Premake
exclude_files = { "build" }
