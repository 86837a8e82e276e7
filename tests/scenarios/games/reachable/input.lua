return { jump = "key:space" }
