return {
  menu = {
    components = { panel = { layout = "grid" } },
    children = {
      { name = "one", button = { text = "One" } },
      { slider = { text = "Music", bind = "heard.music" } },
      { list = { items = "a\nb\nc\nd\ne\nf", rows = 3 } },
      { name = "words", entry = { placeholder = "Name" } },
      { checkbox = { text = "Yes" } },
      { name = "bar", bar = { max = 100 } },
    },
  },
  ask = {
    components = { name = "ask", panel = { modal = true } },
    children = { { button = { text = "Close", emits = "close", cancel = true } } },
  },
}
