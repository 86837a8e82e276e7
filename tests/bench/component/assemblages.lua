return {
  body = { components = { position = {} } },
  one_in_ten = { components = { position = {}, tenth = {} } },
}
