-- One file, softer while somebody plays.
return {
  theme = { layers = { theme = "music.wav" }, fade = 1, sections = {
    title = { layers = { theme = 0.9 } },
    playing = { layers = { theme = 0.6 } },
  } },
}
