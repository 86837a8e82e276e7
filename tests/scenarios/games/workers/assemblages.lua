return { mote = { components = { transform = {}, motion = {}, body = {}, lifetime = {} } } }
