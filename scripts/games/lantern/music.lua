-- The music of the yard, the crypt and the boss, each at about -23.7 LUFS. In the crypt, a heartbeat grows louder as a
-- foe approaches.
return {
  yard = { tempo = 76, fade = 1.5, volume = 0.32, layers = { yard = "yard.wav" } },
  crypt = { tempo = 66, fade = 1.5, volume = 0.26,
    layers = { crypt = "crypt.wav", threat = { file = "threat.wav", follows = "play.danger" } } },
  boss = { tempo = 148, fade = 1.5, volume = 0.42, layers = { boss = "boss.wav" } },
}
