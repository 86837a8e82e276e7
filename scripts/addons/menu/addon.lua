return { name = "menu", version = "2.1.0", licence = "MIT",
  doc = "menus with buttons, end screens that ignore input at first, a button for the options, and the idle time" }
