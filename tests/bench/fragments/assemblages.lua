local kinds = {}
for i = 1, 26 do kinds["kind" .. i] = { components = { data = {}, ["part" .. i] = {} } } end
return kinds
