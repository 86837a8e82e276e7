-- Sixteen directions as integer vectors { x, y }, longer than the sum of the radii of a ship and a bullet.
return {
  { 24, 0 }, { 22, 9 }, { 17, 17 }, { 9, 22 }, { 0, 24 }, { -9, 22 }, { -17, 17 }, { -22, 9 },
  { -24, 0 }, { -22, -9 }, { -17, -17 }, { -9, -22 }, { 0, -24 }, { 9, -22 }, { 17, -17 }, { 22, -9 },
}
