return (require("program").system(14))
