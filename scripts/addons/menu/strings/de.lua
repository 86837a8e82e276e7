-- German names of controls, and strings that games share.
return {
  arrows = "Pfeiltasten", either = "{a} oder {b}", dpad = "Steuerkreuz", stick = "linker Stick",
  history = "{rewind} halten: zurückspulen     {clip}: Clip speichern", history_pad = "{rewind} halten: zurückspulen",
  play = "Spielen", play_again = "Noch einmal", start_again = "Neu anfangen", one_player = "Ein Spieler",
  two_players = "Zwei Spieler", players = "Spieler: {n}", options = "Optionen", quit = "Beenden",
  quit_to_title = "Zum Titel", paused = "Pause", resume = "Weiter", press_to_play = "Zum Spielen {key} drücken",
  score = "Punkte {n}", best = "Rekord {n}", best_so_far = "Rekord: {n}", new_best = "Neuer Rekord!",
  new_best_of = "Neuer Rekord: {n}", game_over = "Game over", you = "Du", player = "Spieler {n}",
}
