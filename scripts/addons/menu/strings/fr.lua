-- French names of controls, and strings that games share.
return {
  arrows = "flèches", either = "{a} ou {b}", dpad = "croix", stick = "stick gauche",
  history = "Maintenir {rewind} : rembobiner     {clip} : enregistrer un clip",
  history_pad = "Maintenir {rewind} : rembobiner",
  play = "Jouer", play_again = "Rejouer", start_again = "Recommencer", one_player = "Un joueur",
  two_players = "Deux joueurs", players = "Joueurs : {n}", options = "Options", quit = "Quitter",
  quit_to_title = "Retour au titre", paused = "Pause", resume = "Reprendre",
  press_to_play = "Appuyez sur {key} pour jouer", score = "Score {n}", best = "Record {n}",
  best_so_far = "Record : {n}", new_best = "Nouveau record !", new_best_of = "Nouveau record : {n}",
  game_over = "Partie terminée", you = "Vous", player = "Joueur {n}",
}
