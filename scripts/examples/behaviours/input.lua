return { put = { "mouse:left" } }
