return {
  title = "Dobry wieczór",
  story = "Na ekranie są klucze. Wybierz język i przesuń suwak: liczby mają własne formy.",
  apples = { slider = "Jabłka", basket = { one = "{n} jabłko w koszyku", few = "{n} jabłka w koszyku",
    many = "{n} jabłek w koszyku", other = "{n} jabłka w koszyku" } },
}
