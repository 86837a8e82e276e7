-- Spanish names of controls, and strings that games share.
return {
  arrows = "flechas", either = "{a} o {b}", dpad = "cruceta", stick = "stick izquierdo",
  history = "Mantén {rewind}: rebobinar     {clip}: guardar un clip", history_pad = "Mantén {rewind}: rebobinar",
  play = "Jugar", play_again = "Jugar otra vez", start_again = "Empezar de nuevo", one_player = "Un jugador",
  two_players = "Dos jugadores", players = "Jugadores: {n}", options = "Opciones", quit = "Salir",
  quit_to_title = "Salir al título", paused = "Pausa", resume = "Continuar",
  press_to_play = "Pulsa {key} para jugar", score = "Puntos {n}", best = "Récord {n}", best_so_far = "Récord: {n}",
  new_best = "¡Nuevo récord!", new_best_of = "Nuevo récord: {n}", game_over = "Fin de la partida",
  you = "Tú", player = "Jugador {n}",
}
