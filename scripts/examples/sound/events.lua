return { speaks = {} }
