-- The first one stands in where another has no text.
return { language = shoal.types.enum { "en", "de", "pl", "ru" } }
