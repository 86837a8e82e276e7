return {
  query = { "small", optional = { "whole" } },
  on = { hit = function(ev) require("calls").batch("on", 5, ev) end },
  enter = function(e) e.small.v = 1 end,
  update = function(q)
    require("calls").batch("update", require("config").update, q)
  end,
}
