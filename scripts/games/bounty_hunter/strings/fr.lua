-- French strings, including the names on the options screen.
return {
  title = {
    heading = "WANTED", who = "Et vous, qui êtes-vous ?", ride = "En selle", best = "Meilleure bourse : {n}",
    keys = "Chevaucher : {ride}     Percuter : {ram}", keys_of_one = "{ride}, {ram}",
    keys_of_two = "J1 : {a}     J2 : {b}",
  },
  names = { blue = "Bleu", red = "Rouge", green = "Vert", violet = "Violet" },
  purse = "{name}  {n}", bring_here = "Apportez-le ici", ram_outlaw = "Percutez : {n} pièces d'or",
  full = "Complet !", caught = "Capturé !", wanted = "Recherché !",
  day = "Jour {n}",
  days = { "Matin du jour 1", "Midi du jour 2", "Soir du jour 3" },
  rules = {
    demo = "Rapportez de l'or et percutez les plus chargés.",
    four = "Le soir, le plus pauvre des quatre part. Ce soir, simple avertissement.",
    three = "Le soir, le plus pauvre des trois quitte la ville.",
    last_two = "Les deux derniers : qui restera ?",
    rivals = "Le soir, le rival le plus pauvre part. Puis ce sera votre tour.",
    last_rival = "Le soir, le dernier rival part. Puis ce sera votre tour.",
    players = "Le soir, le plus pauvre d'entre vous quitte la ville.",
  },
  tally = {
    heading = "LE SOIR", leaves = "{name} s'en va", you_leave = "Vous partez", you_are_warned = "Avertissement",
  },
  over = {
    lost = "ADIEU", won = "PRIME", all_leave = "Vous devez tous partir",
    you_leave = "Vous devez quitter la ville",
    town = "La ville est à vous !", stays = "{name} reste !", gold = "Or rapporté : {n}",
    best = "Meilleure bourse de tous les temps !", again = "Repartir",
  },
  settings = { rivals = "Rivaux" },
  choices = { normal = "Normaux", hard = "Difficiles", easy = "Faciles" },
  actions = {
    go_x = { negative = "Aller à gauche", positive = "Aller à droite", axis = "Gauche et droite" },
    go_y = { negative = "Monter", positive = "Descendre", axis = "Monter, descendre" },
    dash = "Percuter",
  },
}
