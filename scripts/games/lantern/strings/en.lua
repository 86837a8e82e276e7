-- The English strings by key. strings/de.lua, fr.lua and ja.lua contain strings in other languages for the same keys.
return {
  title = {
    press = "press {key}",
    keys = "{walk}: walk   {strike}: attack, talk",
    more_keys = "{cast}: throw fire   {pause}: pause",
    best = "Best time {time}",
    demo = "Demo: press {key}",
  },
  dead = { title = "Your light goes out", again = "but an ember is left: press {key}" },
  won = { title = "The light has come home.", time = "Your time {time}", best = "Best time {time}" },
  menu = {
    new_game = "New game", load_game = "Load game", options = "Options", quit = "Quit",
    paused = "Paused", resume = "Resume", save_or_load = "Save or load", to_title = "Quit to title",
    saved_games = "Saved games", slot = "Slot", save = "Save", load = "Load", delete = "Delete", back = "Back",
    empty = "empty", no_picture = "no picture yet", damaged = "cannot be loaded", really = "Really?",
  },
  rooms = {
    yard = "The Churchyard", hall = "The Crypt", ossuary = "The Ossuary", cistern = "The Cistern",
    throne = "The Snuffer's Hall",
  },
  keeper = {
    name = "Keeper",
    opening = {
      "The lamp is out. It has burned for a hundred years.",
      "The Snuffer came up from the crypt and took the flame.",
      "Take my lantern and my sword. Bring it back to us.",
    },
    crypt = "The crypt is below the chapel. An ember lies at its eastern end.",
    fire = "Fire wakes fire: try the braziers in the crypt.",
    thanks = "It burns! You have brought the light back to us.",
  },
  snuffer = { name = "Snuffer", who = "Who brings light into my hall?", put_out = "I shall put it out!" },
  found = {
    ember = "You found an ember: press {key} to throw fire. The cold braziers are waiting for it.",
    key = "A heavy brass key. It smells of smoke.",
    flame = "The flame is free.",
    locked = "It is locked. Something breathes behind it.",
  },
  prompts = { talk = "{key}: talk", open = "{key}: open" },
  actions = {
    go_x = { negative = "Walk left", positive = "Walk right", axis = "Walk left, right" },
    go_y = { negative = "Walk up", positive = "Walk down", axis = "Walk up, down" },
    strike = "Strike", cast = "Throw fire", pause = { pause = "Menu" },
  },
}
