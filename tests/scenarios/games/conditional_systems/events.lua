return { shot = { by = shoal.types.entity } }
