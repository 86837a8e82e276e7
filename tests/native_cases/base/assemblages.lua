-- The only assemblage: a mote.
return { mote = { components = { mote = {} } } }
