local t = shoal.types

return {
  guest = { place = t.i32(0), joy = 0, hue = 0, doc = "sits in the outer ring" },
  dish = { place = t.i32(0), left = 100, doc = "stands in the inner ring, until it is eaten up" },
  likes = t.relation { strength = 1 }, -- a guest can like many dishes; destroying a dish removes its pairs
  follows = t.relation({}, { many = false, cascade = "destroy" }), -- destroying a leader destroys its followers
}
