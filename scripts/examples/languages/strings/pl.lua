return {
  title = "Dobry wieczór",
  caption = "Każdy wiersz to klucz: zmień strings/pl.lua, gdy to działa.",
  story = "Pola tekstowe przechowują tylko klucze. Wybierz język i przesuń suwak: forma wyrazu zależy od liczby.",
  apples = { slider = "Jabłka", basket = { one = "{n} jabłko w koszyku", few = "{n} jabłka w koszyku",
    many = "{n} jabłek w koszyku", other = "{n} jabłka w koszyku" } },
}
