-- English strings, including the names on the options screen.
return {
  title = { keys = "{walk}: walk   {use}: dig, talk, trade", demo = "Demo: press {key}" },
  places = { town = "The Hamlet", mine = "The Mine" },
  folk = { smith = "the smith" },
  prompts = { dig = "{key}: dig", talk = "{key}: talk", sell = "{key}: sell", trade = "{key}: trade" },
  smith = {
    pays = { one = "Good stuff! Here is {n} coin.", other = "Good stuff! Here are {n} coins." },
    price = "Bring me ore and gold from the mine. A better pick costs {n} coins.",
    pick = "A new pick! It digs faster.", best = "Your pick is the best that I can make.",
  },
  elder = {
    advice = "Welcome! Dig in the mine behind the arch. The smith pays for ore and gold.",
    ore = { one = "I remember: you sold {n} ore to {name} {time}.",
      other = "I remember: you sold {n} ores to {name} {time}." },
    gold = { one = "I remember: you sold {n} nugget to {name} {time}.",
      other = "I remember: you sold {n} nuggets to {name} {time}." },
    coins = { one = "I remember: you gave {n} coin to {name} {time}.",
      other = "I remember: you gave {n} coins to {name} {time}." },
  },
  when = { today = "today", yesterday = "yesterday", days = { one = "{n} day ago", other = "{n} days ago" },
    last_week = "last week", long_ago = "long ago" },
  deal = { asks = "{name} wants to trade", done = "Done!", agreed = "agreed", thinks = "not agreed",
    keys = "{use}: agree   {back}: leave" },
  gift = { coins = { one = "A gift: {n} coin!", other = "A gift: {n} coins!" },
    gold = { one = "A gift: {n} nugget!", other = "A gift: {n} nuggets!" },
    ore = { one = "A gift: {n} ore!", other = "A gift: {n} ores!" } },
  actions = {
    go_x = { negative = "Walk left", positive = "Walk right", axis = "Walk left, right" },
    go_y = { negative = "Walk up", positive = "Walk down", axis = "Walk up, down" },
    use = "Dig, talk, trade", back = "Leave a trade", pause = { pause = "Menu" },
  },
}
