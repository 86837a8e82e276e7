return {
  title = "Guten Abend",
  story = "Textfelder speichern nur Schlüssel. Wähle eine Sprache und bewege den Regler: Die Wortform folgt der Zahl.",
  apples = { slider = "Äpfel", basket = { one = "{n} Apfel im Korb", other = "{n} Äpfel im Korb" } },
}
