return { one = { "key:1" }, two = { "key:2" }, three = { "key:3" } }
