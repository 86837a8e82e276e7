local t = shoal.types
return { basket = t.single { apples = t.i32(0), shown = true } } -- shown: the language changes by itself
