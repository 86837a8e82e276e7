return {
  title = "Guten Abend",
  story = "Auf dem Bildschirm stehen Schlüssel. Wähle eine Sprache und bewege den Regler: Zahlen haben ihre eigenen Formen.",
  apples = { slider = "Äpfel", basket = { one = "{n} Apfel im Korb", other = "{n} Äpfel im Korb" } },
}
