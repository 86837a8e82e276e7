local t = shoal.types
-- shown: whether systems/shows.lua changes the language and the apples
return { basket = t.single { apples = t.i32(0), shown = true } }
