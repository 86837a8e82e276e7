-- The first language is the fallback for missing texts.
return { language = shoal.types.enum { "en", "de", "pl", "ru" } }
