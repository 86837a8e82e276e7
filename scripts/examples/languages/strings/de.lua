return {
  title = "Guten Abend",
  story = "Auf dem Bildschirm stehen Schlüssel. Wähle eine Sprache, bewege den Regler: Zahlen haben eigene Formen.",
  apples = { slider = "Äpfel", basket = { one = "{n} Apfel im Korb", other = "{n} Äpfel im Korb" } },
}
