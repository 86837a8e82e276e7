# Saved files that the watcher can miss, or can read before they are complete.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
cd "$tmp" || exit 1

number() { echo "return { update = function() if world.tick % 512 == 0 then log.info(\"number %d\", $1) end end }"; }
start_game() {
  rm -rf "$game"
  mkdir -p "$game/systems"
  echo 'return { title = "Saved" }' >"$game/game.lua"
  number 1 >"$game/systems/probe.lua"
  trap stop_program EXIT
  launch "$release" run "$game" --headless --watch --log debug "$@"
  expect_log "number 1"
}

restored_time() {
  start_game
  number 2 >"$tmp/new.lua"
  touch -r "$game/systems/probe.lua" "$tmp/new.lua"
  cp -p "$tmp/new.lua" "$game/systems/probe.lua"
  expect_log "number 2"
  mark_log
  chmod 600 "$game/systems/probe.lua"
  echo '-- notes' >"$game/notes.lua" # starts a scan
  expect_log "reloaded"
  log_has "reloaded notes.lua" || fail "the unchanged file was reloaded: $(log_since_mark)"
}
it "an edit that keeps a file's size and time reloads the file, but a change of its permissions does not" restored_time

half_read() {
  start_game
  mark_log
  for part in "" "return { update = function()" 'return { update = function() log.info("a'; do
    mark_log
    printf '%s' "$part" >"$game/systems/probe.lua"
    expect_log "may be unfinished: reading it again"
    number 3 >"$game/systems/probe.lua"
    expect_log "number 3"
    number 4 >"$game/systems/probe.lua"
    expect_log "number 4"
    log_has "refused" && fail "a half-written file was reported: $(log_since_mark | grep refused)"
  done
  printf 'return { update = function()' >"$game/systems/probe.lua"
  expect_log "reload refused: systems/probe.lua:1: 'end' expected"
}
it "a file that was read before it was written completely is read again before it is reported" half_read

read_twice() {
  start_game --real-time
  mark_log
  printf 'return { update = function()' >"$game/systems/probe.lua"
  expect_log "reload refused: systems/probe.lua:1: 'end' expected"
  number 2 >"$game/systems/probe.lua"
  expect_log "reloaded systems/probe.lua"
  last=$(log_since_mark | sed -n '/reading it again/,/reload refused/p' | grep -c "a background trial begins")
  [ "$last" = 1 ] || fail "the file was tried $last times when it was read again: $(log_since_mark)"
}
it "a file that was read before it was complete is tried once after it is read again" read_twice

at_the_end() {
  rm -rf "$game"
  mkdir -p "$game"
  echo 'return { title = "Saved" }' >"$game/game.lua"
  trap stop_program EXIT
  launch "$release" run "$game" --headless --watch --log debug
  expect_log "Saved: seed"
  : >"$game/components.lua"
  expect_log "may be unfinished: reading it again"
  stop_program
  log_has "reload refused: components.lua:1" || fail "the refused file was not reported: $(log_since_mark)"
}
it "a refused file that waits to be read again is reported when the run ends" at_the_end

large_file() {
  start_game
  mark_log
  { printf -- '--' && head -c 4194304 /dev/zero | tr '\\0' x && printf '\nreturn { update = function() end }\n'; } >"$game/systems/huge.lua"
  expect_log "systems/huge.lua: a Lua file can have at most 4 MB, got 4.0 MB: split the file"
  expect_log "number 1"
}
it "a Lua file of more than 4 MB is refused, and the error states the limit" large_file
