local t = shoal.types
-- shown: true while systems/shows.lua changes the language and the number of apples
return { basket = t.single { apples = t.i32(0), shown = true } }
