return { drop = { "mouse:left", "pad:a" }, turn = { "key:space", "pad:x" } }
