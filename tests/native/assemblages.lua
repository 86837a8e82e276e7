return {
  crumb = { components = { mark = { v = 1 }, extra = { v = 2 } } },
  row = { components = { given = {}, result = {} } },
  post = { components = { post = {}, transform = {}, tilemap = { map = "room.tmj" } } },
}
