return (require("program").system(19))
