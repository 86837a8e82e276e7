-- German strings, including the names on the options screen.
return {
  title = {
    heading = "GESUCHT", who = "Und wer bist du?", ride = "Losreiten", best = "Vollster Beutel: {n}",
    keys = "Reiten: {ride}     Rammen: {ram}", keys_of_one = "{ride}, {ram}",
    keys_of_two = "Sp. 1: {a}     Sp. 2: {b}",
  },
  names = { blue = "Blau", red = "Rot", green = "Grün", violet = "Violett" },
  purse = "{name}  {n}", bring_here = "Bring es hierher", ram_outlaw = "Rammen: {n} Gold",
  full = "Voll!", caught = "Gefasst!", wanted = "Gesucht!",
  day = "Tag {n}",
  days = { "Morgen des 1. Tages", "Mittag des 2. Tages", "Abend des 3. Tages" },
  rules = {
    demo = "Bring Gold nach Hause und ramme Jäger, die mehr haben.",
    four = "Abends geht der Ärmste der vier. Heute wirst du nur verwarnt.",
    three = "Abends verlässt der Ärmste der drei die Stadt.",
    last_two = "Die letzten zwei: Wer bleibt?",
    rivals = "Abends verlässt der ärmste Gegner die Stadt. Danach seid ihr dran.",
    last_rival = "Abends verlässt der letzte Gegner die Stadt. Danach seid ihr dran.",
    players = "Abends verlässt der Ärmste von euch die Stadt.",
  },
  tally = {
    heading = "ABEND", leaves = "{name} geht", you_leave = "Du gehst", you_are_warned = "Verwarnung",
  },
  over = {
    lost = "LEB WOHL", won = "BELOHNUNG", all_leave = "Ihr müsst die Stadt verlassen",
    you_leave = "Du musst die Stadt verlassen",
    town = "Die Stadt gehört dir!", stays = "{name} bleibt!", gold = "Heimgebrachtes Gold: {n}",
    best = "Der vollste Beutel aller Zeiten!", again = "Noch einmal reiten",
  },
  settings = { rivals = "Gegner" },
  choices = { normal = "Normal", hard = "Schwer", easy = "Leicht" },
  actions = {
    go_x = { negative = "Nach links", positive = "Nach rechts", axis = "Nach links, rechts" },
    go_y = { negative = "Nach oben", positive = "Nach unten", axis = "Auf und ab" },
    dash = "Rammen",
  },
}
