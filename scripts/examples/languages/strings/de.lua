return {
  title = "Guten Abend",
  story = "Die Textfelder speichern nur Schlüssel. Wähle eine Sprache und bewege den Regler: Die Wortform richtet sich nach der Zahl.",
  apples = { slider = "Äpfel", basket = { one = "{n} Apfel im Korb", other = "{n} Äpfel im Korb" } },
}
