return { "wolf", "bear", "rat", "mushroom", "herb", "berry", "tower", "cave", "mill", "lake", "ghost", "bandit",
  "feather", "bone", "shrine", "bridge" }
