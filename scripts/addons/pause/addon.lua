return { name = "pause", version = "1.1.0", licence = "MIT", requires = { menu = ">=1.0" },
  doc = "a menu that pauses the game: Resume, Options, Quit to title" }
