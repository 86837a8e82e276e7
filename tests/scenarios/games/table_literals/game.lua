return { title = "table literals", id = "table_literals" }
