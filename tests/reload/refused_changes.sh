# Changes that a reload has refused, and later changes of different files.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy

prints() { echo "return { update = function() if world.tick % 16 == 0 then log.info(\"$1\") end end }"; }
start_game() { # start_game OPTION…: a game with the systems a and b, which log their versions
  rm -rf "$game"
  mkdir -p "$game/systems"
  echo 'return { title = "Refused" }' >"$game/game.lua"
  echo 'return { motion = { speed = 1 } }' >"$game/components.lua"
  prints "a is 1" >"$game/systems/a.lua"
  prints "b is 1" >"$game/systems/b.lua"
  trap stop_program EXIT
  launch_cockpit "$release" run "$game" --watch "$@"
  expect_log "a is 1" "b is 1"
}
save() { # save FILE TEXT: saves the text in one step; later checks of the log ignore earlier lines
  mark_log
  echo "$2" >"$tmp/saved"
  mv "$tmp/saved" "$game/$1"
}
count_refused() { grep -c "reload refused: $1" "$log"; }
expect_refused() { # expect_refused FILE TIMES
  [ "$(count_refused "$1")" = "$2" ] || fail "$1: expected $2 reports: $(grep -e refused -e reloaded "$log")"
}
# shows FIRST [LATER…]: the error card must show an error of the file FIRST and list errors of the files LATER.
shows() { check_cockpit shows_errors "$@"; }

later_files() { # later_files OPTION…
  start_game "$@"
  save systems/a.lua 'return { update = nothing.at_all }'
  expect_log "reload refused: systems/a.lua:1:"
  shows systems/a.lua:1
  save systems/b.lua "$(prints "b is 2")"
  expect_log "reloaded systems/b.lua" "still refused: systems/a.lua" "b is 2" "a is 1"
  shows systems/a.lua:1
  save systems/b.lua 'return { update = missing.function_of_b }'
  expect_log "reload refused: systems/b.lua:1:" "Tried without the refused change of systems/a.lua."
  shows systems/b.lua:1 systems/a.lua:1
  save systems/b.lua "$(prints "b is 3")"
  expect_log "reloaded systems/b.lua" "b is 3" "a is 1"
  shows systems/a.lua:1
  save systems/c.lua "$(prints "c is 1")"
  expect_log "reloaded systems/c.lua" "c is 1"
  expect_refused systems/a.lua 1
  expect_refused systems/b.lua 1
  save systems/a.lua "$(prints "a is 2")"
  expect_log "reloaded systems/a.lua" "a is 2"
  log_has "still refused" && fail "the corrected file is still refused: $(log_since_mark)"
  shows nothing
}
it "later changes take effect and show their own errors while a change is refused" later_files --headless
it "later changes take effect and show their own errors in a window while a change is refused" later_files

corrected_first() {
  start_game --headless
  save systems/a.lua 'return { update = nothing.at_all }'
  expect_log "reload refused: systems/a.lua:1:"
  save systems/b.lua 'return { update = missing.function_of_b }'
  expect_log "reload refused: systems/b.lua:1:"
  save systems/a.lua "$(prints "a is 2")"
  expect_log "reloaded systems/a.lua" "still refused: systems/b.lua" "a is 2" "b is 1"
  shows systems/b.lua:1
  save systems/b.lua "${newline}return { update = missing.function_of_b }"
  expect_log "reload refused: systems/b.lua:2:"
  shows systems/b.lua:2
}
it "a corrected change takes effect while a later change is refused" corrected_first

in_two_saves() {
  start_game --headless
  save systems/a.lua 'return { query = { "motion" }, each = function(e) e.motion.speed = 2 end }'
  expect_log "reloaded systems/a.lua"
  save components.lua 'return { drive = { speed = 1, renamed_from = "motion" } }'
  expect_log "reload refused: systems/a.lua:1: former name of a component: motion is now drive"
  save systems/b.lua "$(prints "b is 2")"
  expect_log "reloaded systems/b.lua" "still refused: components.lua" "b is 2"
  save systems/a.lua 'return { query = { "drive" }, each = function(e) e.drive.speed = 2 end }'
  expect_log "reloaded 2 files" "components.lua, systems/a.lua"
  shows nothing
}
it "a refused rename takes effect once a later save completes it" in_two_saves

deleted_file() {
  start_game --headless
  save shared.lua 'return { value = 1 }'
  save systems/a.lua 'local shared = require "shared" return { update = function() log.info("a has %d", shared.value) end }'
  expect_log "a has 1"
  rm "$game/shared.lua"
  expect_log "reload refused: systems/a.lua:1:"
  save systems/b.lua "$(prints "b is 2")"
  expect_log "reloaded systems/b.lua" "b is 2" "a has 1"
  save shared.lua 'return { value = 2 }'
  expect_log "a has 2"
  shows nothing
}
it "a file that a refused change deletes keeps its running version" deleted_file

reverted_and_repeated() {
  start_game --headless
  save systems/a.lua 'return { update = nothing.at_all }'
  expect_log "reload refused: systems/a.lua:1:"
  save systems/b.lua 'return { update = missing.function_of_b }'
  expect_log "reload refused: systems/b.lua:1:"
  save systems/b.lua "$(prints "b is 1")"
  shows systems/a.lua:1
  expect_refused systems/a.lua 1
  save systems/a.lua "$(prints "a is 1")"
  expect_log "the refused change was reverted"
  shows nothing
}
it "the error card no longer shows a refused change after the change is reverted" reverted_and_repeated
