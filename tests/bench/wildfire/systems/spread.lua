return {
  after = "heat",
  query = { "cell" },
  each = function(e)
    local cell = e.cell
    if cell.state == "tree" then
      if world.random() < 0.00002 + 0.1 * cell.heat then cell.state = "burning" end
    elseif cell.state == "burning" then
      cell.fuel = cell.fuel - 0.25
      if cell.fuel <= 0 then
        cell.state = "ash"
        cell.age = 0
      end
    else
      cell.age = cell.age + 1
      if cell.age > 60 and world.random() < 0.02 then
        cell.state = "tree"
        cell.fuel = 5
      end
    end
  end,
}
