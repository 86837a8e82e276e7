-- English strings, including the names on the options screen.
return {
  title = {
    heading = "WANTED", who = "And who are you?", ride = "Ride", best = "Fullest purse: {n}",
    keys = "Ride: {ride}     Ram: {ram}", keys_of_one = "{ride}, {ram}",
    keys_of_two = "Player 1: {a}     Player 2: {b}",
  },
  names = { blue = "Blue", red = "Red", green = "Green", violet = "Violet" },
  purse = "{name}  {n}", bring_here = "Bring it here", ram_outlaw = "Ram: {n} gold",
  full = "Full!", caught = "Caught!", wanted = "Wanted!",
  day = "Day {n}",
  days = { "Morning of day 1", "Noon of day 2", "Dusk of day 3" },
  rules = {
    demo = "Bring gold home, and ram hunters who carry more.",
    four = "At sunset, the poorest of four leaves town. Today, you are only warned.",
    three = "At sunset, the poorest of three leaves town.",
    last_two = "The last two: who stays?",
    rivals = "At sunset, the poorest rival leaves town. Then it is your turn.",
    last_rival = "At sunset, the last rival leaves town. Then it is your turn.",
    players = "At sunset, the poorest of you leaves town.",
  },
  tally = {
    heading = "SUNSET", leaves = "{name} leaves", you_leave = "You leave", you_are_warned = "You are warned",
  },
  over = {
    lost = "FAREWELL", won = "REWARD", all_leave = "You all have to leave town", you_leave = "You have to leave town",
    town = "The town is yours!", stays = "{name} stays!", gold = "Gold brought home: {n}",
    best = "Fullest purse ever!", again = "Ride again",
  },
  settings = { rivals = "Rivals" },
  choices = { normal = "Normal", hard = "Hard", easy = "Easy" },
  actions = {
    go_x = { negative = "Ride left", positive = "Ride right", axis = "Ride left, right" },
    go_y = { negative = "Ride up", positive = "Ride down", axis = "Ride up, down" },
    dash = "Ram",
  },
}
