return { folk = { components = { folk = {}, aims = {} } } }
