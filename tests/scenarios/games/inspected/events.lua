return { changed_mood = { entity = shoal.types.entity } }
