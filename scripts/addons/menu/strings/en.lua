-- English names of controls, and strings that games share.
return {
  arrows = "arrows", either = "{a} or {b}", dpad = "D-Pad", stick = "Left Stick",
  history = "Hold {rewind}: rewind     {clip}: save a clip", history_pad = "Hold {rewind}: rewind",
  play = "Play", play_again = "Play again", start_again = "Start again", one_player = "One player",
  two_players = "Two players", players = "Players: {n}", options = "Options", quit = "Quit",
  quit_to_title = "Quit to title", paused = "Paused", resume = "Resume", press_to_play = "Press {key} to play",
  score = "Score {n}", best = "Best {n}", best_so_far = "Best: {n}", new_best = "New best!",
  new_best_of = "New best: {n}", game_over = "Game over", you = "You", player = "Player {n}",
}
