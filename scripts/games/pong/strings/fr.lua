-- French strings, including the names on the options screen.
return {
  title = {
    longest = "Plus long échange : {n}",
    rules = "Le premier à 7 buts gagne. L'angle dépend de l'endroit où la balle touche la raquette : visez l'étoile.",
    keys = "Se déplacer : {move}     Pause : {pause}",
  },
  rally = "Échange : {n}", best_rally = "Échange : {n}  le plus long !",
  star = "Envoyez la balle à travers l'étoile : votre prochain coup sera un smash",
  smash = "Smash !", smash_next = "Prêt à smasher !",
  ghost = "trajet de la balle précédente",
  names = { blue = "Bleu", pink = "Rose" },
  over = {
    wins = "{name} gagne", you_win = "Gagné !", you_lose = "Perdu",
    longest = "Plus long échange {n}     Record {best}", new_best = "Plus long échange {n} : nouveau record !",
  },
  settings = { opponent = "Adversaire" },
  choices = { normal = "Normal", hard = "Difficile", easy = "Facile" },
  actions = {
    move = { negative = "Monter", positive = "Descendre", axis = "Monter, descendre" },
  },
}
