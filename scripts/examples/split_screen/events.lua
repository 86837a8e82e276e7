local t = shoal.types

return { taken = { by = t.entity } }
