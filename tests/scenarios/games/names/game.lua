-- A game of an earlier day: it has components and events whose names Shoal has as well by now.
return { title = "Names" }
