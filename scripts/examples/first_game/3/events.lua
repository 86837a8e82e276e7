-- Events: systems emit them, and every system with a handler receives them.
return { gathered = { spark = shoal.types.entity, worm = shoal.types.entity } }
