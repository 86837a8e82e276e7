-- The music of the town and of the mines, each at about -23.7 LUFS.
return {
  town = { tempo = 76, fade = 1.5, volume = 0.32, layers = { town = "town.wav" } },
  mine = { tempo = 66, fade = 1.5, volume = 0.26, layers = { mine = "mine.wav" } },
}
