-- Every place has its music. Below the earth, what is near is heard: a heart beats the louder the nearer it comes.
return {
  yard = { tempo = 76, fade = 1.5, volume = 0.5, layers = { yard = "yard.wav" } },
  crypt = { tempo = 66, fade = 1.5, volume = 0.5,
    layers = { crypt = "crypt.wav", threat = { file = "threat.wav", follows = "danger.near" } } },
  boss = { tempo = 148, fade = 1.5, volume = 0.5, layers = { boss = "boss.wav" } },
}
