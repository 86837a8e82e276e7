local t = shoal.types
return { basket = t.single { apples = t.i32(0), shown = true } } -- shown: language and apples change by themselves
