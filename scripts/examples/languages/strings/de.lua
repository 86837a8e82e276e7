return {
  title = "Guten Abend",
  caption = "Jede Zeile ist ein Schlüssel: Ändere strings/de.lua, während das läuft.",
  story = "Textfelder speichern nur Schlüssel. Wähle eine Sprache und bewege den Regler: Die Wortform folgt der Zahl.",
  apples = { slider = "Äpfel", basket = { one = "{n} Apfel im Korb", other = "{n} Äpfel im Korb" } },
}
