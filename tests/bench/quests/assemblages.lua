return { quest = { components = { quest = {}, caption = {} } } }
