return { packet = { turn = 0, thrust = 0 } }
