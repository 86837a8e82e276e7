return { talk = {}, open = {}, close = {}, damage = {} }
