return { one = { "key:1", "pad:x" }, two = { "key:2", "pad:y" }, three = { "key:3", "pad:b" } }
