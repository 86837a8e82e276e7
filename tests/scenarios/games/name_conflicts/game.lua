-- A game that declares components and events with names that Shoal uses for its own.
return { title = "Names" }
