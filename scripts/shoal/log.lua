-- log.info(fmt, …), log.warn, log.error: a line in the terminal and the console.
local need, native = ...
local report, state = need("report"), need("state")

local function writer(level)
  return function(text, ...)
    if native.is_silent and state.loading then -- what files say while they are loaded is said once
      return
    end
    native.log(level, report.format(tostring(text), ...))
  end
end

return { info = writer("info"), warn = writer("warn"), error = writer("error") }
