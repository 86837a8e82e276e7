-- Reads and writes lists in native code; `required` makes a fallback to Lua a load error. Checked by cases/list.lua.
return {
  query = { "bag", "marker", "stocked" },
  compile = "required",
  update = function(q)
    local items, dice = q.bag.counts, q.bag.dice
    for i = 1, q.count do
      local list, sum = items[i], 0
      for k = 1, #list do
        sum = sum + list[k] * k
      end
      if #list > 1 then
        list[2] = sum
        list[#list] = list[#list] + 1
      end
      if #dice[i] > 0 then
        dice[i][1] = #list % 6 + 1
      end
    end
  end,
}
