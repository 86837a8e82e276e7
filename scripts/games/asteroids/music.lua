-- One file, softer while somebody plays.
return {
  theme = { layers = { theme = "music.wav" }, fade = 2, sections = {
    title = { layers = { theme = 0.34 } },
    playing = { layers = { theme = 0.22 } },
  } },
}
