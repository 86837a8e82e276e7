-- The first language is the fallback for missing strings.
return { language = shoal.types.enum { "en", "de", "pl", "ru" } }
