-- log.info(fmt, …), log.warn, log.error: a line in the terminal and the console.
local need, native = ...
local report = need("report")

local function writer(level)
  return function(text, ...)
    native.log(level, report.format(tostring(text), ...))
  end
end

return { info = writer("info"), warn = writer("warn"), error = writer("error") }
