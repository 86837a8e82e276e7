-- log.info(fmt, …), log.warn, log.error and log.debug write a line to the terminal, the console and the --log-file,
-- with the current tick, system and entity.
local need, native = ...
local abi = need("base/abi")
local late_binding = need("base/late_binding")
local report = need("base/report")
local state = need("base/vm_state")

local function describe_location()
  if state.loading then
    return "loading"
  end
  local id = state.entity ~= 0 and state.entity or abi.current.entity
  return string.format("tick %d%s%s", tonumber(abi.C.view_tick(abi.world)),
    state.system and ", " .. (state.system.title or "system " .. state.system.name) or "",
    id ~= 0 and ", " .. late_binding.entity_title(id) or "")
end

local function create_writer(level)
  return function(text, ...)
    if native.is_silent and state.loading then -- another VM has logged this line while it loaded the same files
      return
    end
    native.log(level, report.format(report.show(text), ...), describe_location())
  end
end

---@type shoal.Log
return { info = create_writer("info"), warn = create_writer("warn"), error = create_writer("error"),
  debug = create_writer("debug") }
