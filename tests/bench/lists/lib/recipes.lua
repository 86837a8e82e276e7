return {
  { gives = 11, needs = { { 1, 2 } } },
  { gives = 12, needs = { { 2, 1 }, { 3, 1 } } },
  { gives = 13, needs = { { 1, 1 }, { 2, 1 }, { 3, 1 } } },
}
