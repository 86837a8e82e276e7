-- Texts of the lobby in German.
return {
  lobby = "Lobby", join_with = "Im selben Netzwerk tritt man bei mit", key = "Schlüssel: {code}",
  players = "Spieler", chat = "Chat", say = "Nachricht schreiben",
  ready = "Bereit", not_ready = "Nicht bereit", offline = "getrennt",
  name = "Name", colour = "Nächste Farbe", begin = "Anfangen", leave = "Verlassen",
  missing = { one = "Es fehlt noch {n} Spieler", other = "Es fehlen noch {n} Spieler" },
  waiting = "Das Spiel beginnt, wenn alle bereit sind. Der Gastgeber kann es sofort beginnen.",
  joined = "{name} ist beigetreten", left = "{name} ist gegangen",
  ask_leave = "Die Partie verlassen?", ask_end = "Die Partie für alle beenden?", stay = "Bleiben",
  finish = "Partie beenden",
  too_fast = "Zu schnell: höchstens fünf Nachrichten pro Sekunde", too_long = "Zu lang: höchstens 200 Bytes",
  invalid = "Die Nachricht enthält Zeichen, die nicht dargestellt werden können",
  keys = "Pfeile oder Tab, Enter, Gamepad oder Maus     Escape, B: verlassen",
  actions = { leave = "Verlassen" },
}
