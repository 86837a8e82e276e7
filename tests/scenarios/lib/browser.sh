# Runs pages in a headless Chromium, for suites that source this file after tests/lib.sh.
browser=$(command -v chromium || command -v chromium-browser || true) # empty if Chromium is not installed

# run_browser ADDRESS STEPS…: opens the page and performs the steps (lib/browser.lua). If one fails, sets `failed`, and
# `output` to the message.
run_browser() {
  rm -rf "$tmp/chrome" # its file DevToolsActivePort would name the port of an earlier browser
  "$browser" --headless=new --no-sandbox --disable-gpu --remote-debugging-port=0 --user-data-dir="$tmp/chrome" \
    about:blank >"$tmp/browser.log" 2>&1 &
  shown=$!
  output=$(luajit "$root/tests/scenarios/lib/browser.lua" "$tmp/chrome" "$@") || failed=1
  kill "$shown"
  wait "$shown" 2>/dev/null
}

# browse STEPS…: opens the cockpit of the launched game and performs the steps. Then stops the game.
browse() {
  run_browser "$(cat "$XDG_RUNTIME_DIR"/shoal/*)" "$@"
  stop_program
  rm -rf chrome
  [ -z "${failed-}" ] || fail "$output"
}
