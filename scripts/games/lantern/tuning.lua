-- The numbers that make the game what it is, and what differs from room to room.
return {
  demo_after = 8, -- seconds of title
  rooms = { -- how dark it is, 0 … 1, and what one hears
    yard = { dark = 0.5, music = "yard.wav", title = "The Churchyard" },
    hall = { dark = 0.86, music = "crypt.wav", title = "The Crypt" },
    ossuary = { dark = 0.86, music = "crypt.wav", title = "The Ossuary" },
    cistern = { dark = 0.82, music = "crypt.wav", title = "The Cistern" },
    throne = { dark = 0.74, music = "boss.wav", title = "The Snuffer's Hall" },
  },
}
