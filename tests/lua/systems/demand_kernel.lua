return { phase = "demand", query = { "fuel" }, kernel = function(q) q.fuel.left = q.fuel.left * 2 end }
