return { star = { components = { star = {}, motion = {}, motion_single = {} } } }
