-- Sixteen directions as { x, y }, longer than a ship and a bullet are wide, in whole numbers.
return {
  { 24, 0 }, { 22, 9 }, { 17, 17 }, { 9, 22 }, { 0, 24 }, { -9, 22 }, { -17, 17 }, { -22, 9 },
  { -24, 0 }, { -22, -9 }, { -17, -17 }, { -9, -22 }, { 0, -24 }, { 9, -22 }, { 17, -17 }, { 22, -9 },
}
