return { turn = {} }
