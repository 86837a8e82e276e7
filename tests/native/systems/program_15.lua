return (require("program").system(15))
