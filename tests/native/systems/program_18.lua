return (require("program").system(18))
