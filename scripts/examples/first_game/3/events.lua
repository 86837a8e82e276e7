-- What is emitted, and heard by whichever system has a handler for it.
return { gathered = { spark = shoal.types.entity, worm = shoal.types.entity } }
