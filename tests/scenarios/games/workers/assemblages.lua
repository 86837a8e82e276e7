return { mote = { components = { transform = {}, motion = {}, body = {}, lifetime = {} } },
  dust = { components = { dust = {}, lifetime = { seconds = 1000 } } } }
