return {
  row = { components = { given = {}, result = {} } },
  post = { components = { post = {}, transform = {}, tilemap = { map = "room.tmj" } } },
}
