return { name = "pause", version = "1.1.1", licence = "MIT", requires = { menu = ">=2.1" },
  doc = "a menu that pauses the game: Resume, Options, Quit to title" }
