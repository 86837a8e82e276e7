return (require("program").system(20))
