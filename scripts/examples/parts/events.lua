return { again = {} }
