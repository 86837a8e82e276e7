-- luajit browser.lua FOLDER URL STEP…: drives a Chromium with --user-data-dir FOLDER and --remote-debugging-port 0,
-- which writes the port that it has chosen to a file in this folder. Steps:
--
--   shot=FILE.png            takes a screenshot; as JPEG if the name ends with .jpg
--   key=k, key=Ctrl+k        presses a key, with Ctrl and Shift
--   type=TEXT                types text
--   click=X,Y                clicks
--   drag=X,Y,X,Y             drags from one point to another
--   drag:JAVASCRIPT          drags between the points that the code returns as a string, "X,Y,X,Y"
--   pinch=X,Y,FACTOR         moves two fingers until their distance has changed by FACTOR
--   size=1024x768            resizes the page
--   walk=SELECTOR            Tab must reach every control in the element, and each must show a focus outline
--   sh=COMMAND               runs a shell command, which must succeed
--   do:JAVASCRIPT            runs the code once
--   JAVASCRIPT               repeats the expression until it is true
--
-- Prints the first step that fails, with the page's errors, and exits with 1.
local here = arg[0]:match "^(.*)/[^/]*$" or "."
local websocket = dofile(here .. "/websocket.lua")
local folder, url = arg[1], arg[2]
local SLOWNESS = (tonumber(os.getenv "SLOW") or 100) / 100 -- see tests/run

local function fail(...)
  io.stdout:write((string.format(...):gsub("\\n", " "):gsub("%s+", " ")), "\n")
  os.exit(1)
end

local function read_port()
  local file = io.open(folder .. "/DevToolsActivePort")
  local port = file and file:read "*l"
  if file then
    file:close()
  end
  return tonumber(port)
end

local function open_tab()
  for _ = 1, 600 * SLOWNESS do
    local port = read_port()
    local s = port and websocket.connect(port)
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

local tab, number = open_tab() or fail "cannot connect to a browser", 0

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

local function take_screenshot(file)
  local format = file:find "%.jpg$" and '{"format":"jpeg","quality":84}' or '{"format":"png"}'
  local data = call("Page.captureScreenshot", format):match '"data":"([^"]+)"' or fail "no screenshot"
  local out = assert(io.open(file, "wb"))
  out:write(decode(data))
  out:close()
end

-- Chromium derives the default action of a key (focus, clicks) from its key code and text.
local KEYS = { Tab = { 9 }, Enter = { 13, "\r" }, Space = { 32, " " }, Escape = { 27 }, ArrowLeft = { 37 },
  ArrowUp = { 38 }, ArrowRight = { 39 }, ArrowDown = { 40 }, Delete = { 46 }, Home = { 36 }, End = { 35 } }

local function press_key(key)
  local name = key:gsub("^Ctrl%+", ""):gsub("^Shift%+", "")
  local modifiers = (key:find "Ctrl%+" and 2 or 0) + (key:find "Shift%+" and 8 or 0)
  local known = KEYS[name] or {}
  name = name == "Space" and " " or name
  local facts = ('"key":%s,"modifiers":%d,"windowsVirtualKeyCode":%d'):format(quote(name), modifiers, known[1] or 0)
  call("Input.dispatchKeyEvent", known[2] and ('{"type":"keyDown","text":%s,%s}'):format(quote(known[2]), facts)
    or ('{"type":"rawKeyDown",%s}'):format(facts))
  call("Input.dispatchKeyEvent", ('{"type":"keyUp",%s}'):format(facts))
end

-- Stores paths of child indices instead of elements, because a table may be redrawn during the walk.
local WALK = [[(() => {
  const box = document.querySelector(%s), short = (x) => x.outerHTML.slice(0, 90);
  const pathOf = (x) => {
    const path = [];
    for (; x !== box; x = x.parentElement) path.unshift([...x.parentElement.children].indexOf(x));
    return path.join(".");
  };
  const used = "button, input, select, textarea, a, summary, [tabindex]";
  globalThis.walk = { met: new Set(), unseen: [], step() {
    const at = document.activeElement, look = getComputedStyle(at);
    if (!box.contains(at) || at === box) return false;
    if (look.outlineStyle === "none" || parseFloat(look.outlineWidth) === 0) this.unseen.push(short(at));
    this.met.add(pathOf(at));
    return true;
  }, missed() {
    return [...box.querySelectorAll(used)].filter((x) => x.checkVisibility() && !x.disabled && x.tabIndex >= 0
      && !this.met.has(pathOf(x)) && !(x.type === "radio" && !x.checked)).map(short);
  }, end() {
    return ["not reached:", ...this.missed().slice(0, 4), "not seen:", ...this.unseen.slice(0, 4)].join(" ");
  }, fine() { return this.unseen.length + this.missed().length === 0 && this.met.size > 0; } };
  box.tabIndex = -1;
  box.focus();
  box.removeAttribute("tabindex");
})()]]

local function check_tab_order(selector)
  for _ = 1, 3 do -- repeated, because elements may be added during the walk
    evaluate(WALK:format(quote(selector)))
    for _ = 1, 900 do
      press_key "Tab"
      if not evaluate "walk.step()":find '"value":true' then
        break
      end
    end
    if evaluate "walk.fine()":find '"value":true' then
      return
    end
  end
  fail("Tab in %s: %s", selector, evaluate "walk.end()")
end

-- Performs a pinch, "X,Y,FACTOR": moves two fingers on opposite sides of (X, Y) from a distance of 40 pixels to
-- 40 * FACTOR.
local function pinch(step)
  local x, y, by = step:match "(%d+),(%d+),([%d.]+)"
  local function send_touch_event(kind, half)
    local points = kind == "touchEnd" and "" or ('{"x":%d,"y":%d,"id":1},{"x":%d,"y":%d,"id":2}'):format(x - half, y,
      x + half, y)
    call("Input.dispatchTouchEvent", ('{"type":"%s","touchPoints":[%s]}'):format(kind, points))
  end
  send_touch_event("touchStart", 20)
  for i = 1, 6 do
    send_touch_event("touchMove", 20 + 20 * (by - 1) * i / 6)
  end
  send_touch_event("touchEnd", 0)
end

local function send_mouse_event(kind, x, y, buttons)
  call("Input.dispatchMouseEvent", ('{"type":"%s","x":%d,"y":%d,"button":"%s","buttons":%d,"clickCount":1}'):format(
    kind, x, y, kind == "mouseMoved" and buttons == 0 and "none" or "left", buttons))
end

-- Drags in small steps, like a user.
local function drag(step)
  local x, y, to_x, to_y = step:match "(%-?%d+),(%-?%d+),(%-?%d+),(%-?%d+)"
  send_mouse_event("mouseMoved", x, y, 0)
  send_mouse_event("mousePressed", x, y, 1)
  for i = 1, 6 do
    send_mouse_event("mouseMoved", x + (to_x - x) * i / 6, y + (to_y - y) * i / 6, 1)
  end
  send_mouse_event("mouseReleased", to_x, to_y, 0)
end

local function resize(width, height)
  call("Emulation.setDeviceMetricsOverride",
    ('{"width":%d,"height":%d,"deviceScaleFactor":1,"mobile":false}'):format(width, height))
end

local function wait_until_true(step)
  local answer
  for _ = 1, 600 * SLOWNESS do
    answer = evaluate(step)
    if answer:find '"value":true' then
      return
    end
    os.execute "sleep 0.05"
  end
  local wrong = evaluate "(globalThis.wrong || []).join('\\n') + document.body.innerText.slice(0, 400)"
  fail("timeout: %s is never true: %s; page: %s", step, answer:sub(1, 300), wrong:sub(1, 900))
end

call("Page.enable")
call("Page.addScriptToEvaluateOnNewDocument", '{"source":"globalThis.wrong = []; addEventListener(\'error\', '
  .. '(x) => wrong.push(x.message + x.filename + x.lineno)); addEventListener(\'unhandledrejection\', '
  .. '(x) => wrong.push(String(x.reason)));"}')
resize(1280, 720)
call("Page.navigate", ('{"url":%s}'):format(quote(url)))
wait_until_true "document.readyState == 'complete'"
for i = 3, #arg do
  local step = arg[i]
  if step:find "^shot=" then
    take_screenshot(step:sub(6))
  elseif step:find "^key=" then
    press_key(step:sub(5))
  elseif step:find "^type=" then
    call("Input.insertText", ('{"text":%s}'):format(quote(step:sub(6))))
  elseif step:find "^walk=" then
    check_tab_order(step:sub(6))
  elseif step:find "^pinch=" then
    pinch(step:sub(7))
  elseif step:find "^click=" then
    local x, y = step:match "(%d+),(%d+)"
    drag(("%d,%d,%d,%d"):format(x, y, x, y))
  elseif step:find "^drag=" then
    drag(step)
  elseif step:find "^drag:" then
    local answer = evaluate(step:sub(6))
    drag(answer:match '"value":"([^"]+)"' or fail("no points: %s: %s", step, answer))
  elseif step:find "^size=" then
    resize(step:match "(%d+)x(%d+)")
  elseif step:find "^sh=" then
    local status = os.execute(step:sub(4))
    if status ~= 0 and status ~= true then
      fail("the command failed: %s", step:sub(4))
    end
  elseif step:find "^do:" then
    evaluate(step:sub(4))
  else
    wait_until_true(step)
  end
end
wait_until_true "wrong.length == 0"
