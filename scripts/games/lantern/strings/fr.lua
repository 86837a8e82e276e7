-- The French strings.
return {
  title = {
    press = "appuyez sur {key}",
    keys = "{walk} : marcher   {strike} : frapper, parler",
    more_keys = "{cast} : lancer du feu   {pause} : pause",
    best = "Meilleur temps {time}",
    demo = "Démo : appuyez sur {key}",
  },
  dead = { title = "Votre lampe s'éteint", again = "mais il reste une braise : appuyez sur {key}" },
  won = { title = "La lumière est revenue.", time = "Votre temps {time}", best = "Meilleur temps {time}" },
  menu = {
    new_game = "Nouveau jeu", load_game = "Charger", options = "Options", quit = "Quitter",
    paused = "Pause", resume = "Reprendre", save_or_load = "Sauver ou charger", to_title = "Retour au titre",
    saved_games = "Sauvegardes", slot = "Case", save = "Sauver", load = "Charger", delete = "Effacer",
    back = "Retour", empty = "vide", no_picture = "pas encore d'image", damaged = "ne peut pas être chargée",
    really = "Sûr ?",
  },
  rooms = {
    yard = "Le cimetière", hall = "La crypte", ossuary = "L'ossuaire", cistern = "La citerne",
    throne = "La salle de l'Éteigneur",
  },
  keeper = {
    name = "Gardien",
    opening = {
      "La lampe est éteinte. Elle brûlait depuis cent ans.",
      "L'Éteigneur est monté de la crypte et a pris la flamme.",
      "Prenez ma lanterne et mon épée. Rapportez-nous la flamme.",
    },
    crypt = "La crypte est sous la chapelle. Une braise repose à son extrémité est.",
    fire = "Le feu réveille le feu : essayez les braseros de la crypte.",
    thanks = "Elle brûle ! Vous nous avez rendu la lumière.",
  },
  snuffer = { name = "Éteigneur", who = "Qui apporte de la lumière chez moi ?", put_out = "Je vais l'éteindre !" },
  found = {
    ember = "Vous avez trouvé une braise : {key} lance du feu. Les braseros froids n'attendent qu'elle.",
    key = "Une lourde clé de laiton. Elle sent la fumée.",
    flame = "La flamme est libre.",
    locked = "C'est fermé à clé. Quelque chose respire derrière.",
  },
  prompts = { talk = "{key} : parler", open = "{key} : ouvrir" },
  actions = {
    go_x = { negative = "Aller à gauche", positive = "Aller à droite", axis = "Gauche, droite" },
    go_y = { negative = "Monter", positive = "Descendre", axis = "Monter, descendre" },
    strike = "Frapper", cast = "Lancer du feu", pause = { pause = "Menu" },
  },
}
