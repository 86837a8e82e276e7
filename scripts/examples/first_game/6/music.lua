-- Two synchronised layers. A field of a singleton sets the volume of the second layer.
return {
  wood = {
    tempo = 96,
    layers = { pad = "pad.wav", danger = { file = "danger.wav", follows = "game.danger" } },
  },
}
