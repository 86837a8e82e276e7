-- Layers that are played in step. The second one is as loud as a field of a single says.
return {
  wood = {
    tempo = 96,
    layers = { pad = "pad.wav", danger = { file = "danger.wav", follows = "game.danger" } },
  },
}
