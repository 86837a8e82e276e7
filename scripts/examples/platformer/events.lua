-- The way to the goal begins anew.
return { again = {} }
