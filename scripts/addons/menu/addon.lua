return { name = "menu", version = "1.0.0", licence = "MIT",
  doc = "menus with buttons, a button for the options, and the time without input on a title screen" }
