-- Sixteen directions as { x, y } in integers, longer than the radii of a ship and a bullet together.
return {
  { 24, 0 }, { 22, 9 }, { 17, 17 }, { 9, 22 }, { 0, 24 }, { -9, 22 }, { -17, 17 }, { -22, 9 },
  { -24, 0 }, { -22, -9 }, { -17, -17 }, { -9, -22 }, { 0, -24 }, { 9, -22 }, { 17, -17 }, { 22, -9 },
}
