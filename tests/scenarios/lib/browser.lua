-- luajit browser.lua PORT URL STEP…: drives a Chromium that listens at --remote-debugging-port PORT. A step is a
-- picture, `shot=FILE.png`; a key, `key=k` with Ctrl, as `key=Ctrl+k`; the mouse, `click=X,Y` and `drag=X,Y,X,Y`;
-- another size of the page, `size=1024x768`; or JavaScript that is tried until it is true, and `do:JavaScript`, which
-- is run once. Says which step never came true, with what is wrong in the page, and ends
-- with 1.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
local websocket = dofile(here .. "/websocket.lua")
local port, url = tonumber(arg[1]), arg[2]

local function fail(...)
  io.stdout:write(string.format(...), "\n")
  os.exit(1)
end

local function page()
  for _ = 1, 600 do
    local s = websocket.connect(port)
    if s then
      s:write(websocket.request(port, "/json/list"))
      local path = s:read('"webSocketDebuggerUrl"', 2):match "/devtools/page/%w+"
      s:close()
      if path then
        return websocket.open(port, path)
      end
    end
    os.execute "sleep 0.1"
  end
end

local tab, number = page() or fail "no browser listens", 0

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function call(method, parameters)
  number = number + 1
  tab:send(('{"id":%d,"method":"%s","params":%s}'):format(number, method, parameters or "{}"))
  while true do
    local answer = tab:receive() or fail("the browser does not answer %s", method)
    if answer:find(('"id":%d[,}]'):format(number)) then
      return answer
    end
  end
end

local function evaluate(text)
  return call("Runtime.evaluate",
    ('{"expression":%s,"awaitPromise":true,"returnByValue":true}'):format(quote(text)))
end

local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function decode(text)
  local value = {}
  for i = 1, 64 do
    value[LETTERS:byte(i)] = i - 1
  end
  return (text:gsub("(.)(.)(.)(.)", function(a, b, c, d)
    local n = value[a:byte()] * 262144 + value[b:byte()] * 4096 + (value[c:byte()] or 0) * 64 + (value[d:byte()] or 0)
    local bytes = string.char(math.floor(n / 65536), math.floor(n / 256) % 256, n % 256)
    return bytes:sub(1, c == "=" and 1 or d == "=" and 2 or 3)
  end))
end

local function shoot(file)
  local data = call("Page.captureScreenshot", '{"format":"png"}'):match '"data":"([^"]+)"' or fail "no picture"
  local out = assert(io.open(file, "wb"))
  out:write(decode(data))
  out:close()
end

local function press(key)
  local control = key:match "^Ctrl%+"
  key = key:gsub("^Ctrl%+", "")
  for _, kind in ipairs { "rawKeyDown", "keyUp" } do
    call("Input.dispatchKeyEvent",
      ('{"type":"%s","key":%s,"modifiers":%d}'):format(kind, quote(key), control and 2 or 0))
  end
end

local function mouse(kind, x, y, buttons)
  call("Input.dispatchMouseEvent", ('{"type":"%s","x":%d,"y":%d,"button":"%s","buttons":%d,"clickCount":1}'):format(
    kind, x, y, kind == "mouseMoved" and buttons == 0 and "none" or "left", buttons))
end

-- From one place to another, in steps, as a hand would.
local function drag(step)
  local x, y, to_x, to_y = step:match "(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+)"
  mouse("mouseMoved", x, y, 0)
  mouse("mousePressed", x, y, 1)
  for i = 1, 6 do
    mouse("mouseMoved", x + (to_x - x) * i / 6, y + (to_y - y) * i / 6, 1)
  end
  mouse("mouseReleased", to_x, to_y, 0)
end

local function resize(width, height)
  call("Emulation.setDeviceMetricsOverride",
    ('{"width":%d,"height":%d,"deviceScaleFactor":1,"mobile":false}'):format(width, height))
end

local function await(step)
  local answer
  for _ = 1, 600 do
    answer = evaluate(step)
    if answer:find '"value":true' then
      return
    end
    os.execute "sleep 0.05"
  end
  local wrong = evaluate "(globalThis.wrong || []).join('\\n') + document.body.innerText.slice(0, 400)"
  fail("never true: %s: %s; the page: %s", step, answer:sub(1, 300), wrong:sub(1, 900))
end

call("Page.enable")
call("Page.addScriptToEvaluateOnNewDocument", '{"source":"globalThis.wrong = []; addEventListener(\'error\', '
  .. '(x) => wrong.push(x.message + x.filename + x.lineno)); addEventListener(\'unhandledrejection\', '
  .. '(x) => wrong.push(String(x.reason)));"}')
resize(1280, 720)
call("Page.navigate", ('{"url":%s}'):format(quote(url)))
await "document.readyState == 'complete'"
for i = 3, #arg do
  local step = arg[i]
  if step:find "^shot=" then
    shoot(step:sub(6))
  elseif step:find "^key=" then
    press(step:sub(5))
  elseif step:find "^click=" then
    local x, y = step:match "(%d+),(%d+)"
    drag(("%d,%d,%d,%d"):format(x, y, x, y))
  elseif step:find "^drag=" then
    drag(step)
  elseif step:find "^size=" then
    resize(step:match "(%d+)x(%d+)")
  elseif step:find "^do:" then
    evaluate(step:sub(4))
  else
    await(step)
  end
end
await "wrong.length == 0"
