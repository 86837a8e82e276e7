return { plot = { components = { soil = {}, crop = {} } } }
