# What game designers expect of a reload. A running game logs its state while its files are saved as editors save them.
# Tests that need a screen are in tests/window/reload.sh.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
cd "$tmp" || exit 1

# ---- the game

file() { # file NAME: overwrites this file of the game in place with stdin
  mkdir -p "$(dirname "$game/$1")"
  cat >"$game/$1"
}
a_game() {
  rm -rf "$game"
  file game.lua <<'END'
return { title = "Expectations", start = function()
  log.info("game start")
  world.spawn("ball", { name = "first ball", transform = { x = 1 } })
  world.spawn_many("ball", 2)
  world.spawn(nil, { name = "keeper", keeper = {} })
end }
END
  file components.lua <<'END'
local t = shoal.types
return { ball = { rolls = 0 }, sums = t.single { sent = t.i32(0), heard = t.i32(0), hooks = t.i32(0), from = t.i32(0) } }
END
  file assemblages.lua <<'END'
return { ball = { components = { transform = {}, ball = {} } } }
END
  file events.lua <<'END'
return { ping = { n = 1 } }
END
  echo 'local M = { number = 1 } function M.get() return M.number end return M' | file lib/version.lua
  file behaviours/keeper.lua <<'END'
local version = require("lib.version")
return { fields = { ticks = shoal.types.i32(0), seen = shoal.types.i32(1) }, update = function(self)
  self.ticks = self.ticks + 1
  if self.seen ~= version.get() then
    self.seen = version.get()
    log.info("keeper sees %d, has lived %d too few ticks", version.get(), world.tick + 1 - self.ticks)
  end
end }
END
  roller 1
  # Stores functions of a module in each kind of Lua value, and logs their results after each reload.
  file systems/probe.lua <<'END'
local version = require("lib.version")
local get, kept = version.get, { get = version.get }
local closure = (function() local f = version.get return function() return f() end end)()
local function go() return coroutine.wrap(function() coroutine.yield(version.get()) end)() end
local object = setmetatable({}, { __index = { get = version.get } })
return {
  priority = 100,
  start = function() log.info("probe start") end,
  reload = function() world.single.sums.hooks = world.single.sums.hooks + 1 end,
  on = { ping = function(ev) world.single.sums.heard = world.single.sums.heard + ev.count end },
  update = function()
    local sums = world.single.sums
    if sums.hooks ~= sums.from then
      sums.from = sums.hooks
      log.info("held %d %d %d %d %d %d", get(), kept.get(), closure(), go(), object.get(), version.number)
    end
    world.emit("ping")
    sums.sent = sums.sent + 1
    if world.tick % 1024 == 0 then
      local ball = world.find("first ball").ball
      log.info("tick=%d balls=%d rolls=%d hooks=%d late=%d .", world.tick, world.count("ball"), ball.rolls, sums.hooks,
        sums.sent - sums.heard)
    end
  end,
}
END
}
roller_text() {
  cat <<END
local STEP = $1 -- read again by each reload
return { query = { "ball" }, start = function() log.info("roller start") end, enter = function() log.info("enters") end,
  reload = function() log.info("step %d.", STEP) end,
  update = function(q) for i = 1, q.count do q.ball.rolls[i] = q.ball.rolls[i] + STEP end end }
END
}
roller() { roller_text "$1" | file systems/roller.lua; } # roller STEP: sets the distance that balls roll per tick

# ---- running it

run_game() { # run_game ARGUMENT…: runs the game until the test stops it
  launch "${binary:-$release}" run "$game" --headless --watch --log info "$@"
  expect_log "tick=1024"
}
silent_about() { ! log_has "$1" || fail "unexpected '$1' in the log: $(log_since_mark | grep -F -- "$1" | head -n 3)"; }
count_in_log() { grep -cF -- "$1" "$log"; }
probed() { grep 'tick=.* \.$' "$log" | tail -n 1 | sed "s/.* *$1=\([^ ]*\) .*/\1/"; }
expect_tick() { mark_log; expect_log "tick="; }

# Prints 1 if every tick so far has moved the balls by 1 exactly once.
missed_rolls() { grep 'tick=.* \.$' "$log" | tail -n 1 | tr -c '0-9\n' ' ' | awk '{ print $3 - $1 }'; }

start_game() { # start_game ARGUMENT…: starts the game with these options; it is stopped at the end of the test
  trap stop_program EXIT
  a_game
  run_game "$@"
}
save_roller() { # save_roller STEP: saves the roller and waits until its new code runs
  mark_log
  roller "$1"
  expect_log "step $1."
}

# ---- the expectations

state_kept() {
  start_game
  mark_log
  { roller_text 1; echo "-- a different text"; } | file systems/roller.lua
  expect_log "step 1."
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "the balls rolled $(probed rolls) in $(probed tick) ticks"
  [ "$(probed balls)" = 3 ] || fail "$(probed balls) balls"
}
it "a reload keeps the world's state" state_kept

syntax_error() {
  start_game
  mark_log
  printf 'return {\n  update = function(q dt) end,\n}\n' | file systems/roller.lua
  expect_log "systems/roller.lua:2"
  silent_about "reloaded"
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "the old code does not continue: $(probed rolls) in $(probed tick) ticks"
  save_roller 0
}
it "after a syntax error is saved, the old code keeps running" syntax_error

init_once() {
  start_game
  for step in 2 3 4; do save_roller $step; done
  expect_tick
  for line in "game start" "probe start" "roller start"; do
    [ "$(count_in_log "$line")" = 1 ] || fail "'$line' $(count_in_log "$line") times"
  done
  [ "$(count_in_log enters)" = 3 ] || fail "three balls entered $(count_in_log enters) times"
}
it "a reload does not call start functions again" init_once

callback() {
  start_game
  save_roller 2
  expect_tick
  [ "$(probed hooks)" = 1 ] || fail "$(probed hooks) calls to reload() after one reload"
  save_roller 3
  expect_tick
  [ "$(probed hooks)" = 2 ] || fail "$(probed hooks) calls to reload() after two"
}
it "each reload calls a system's reload function once" callback

append_to() { # append_to FILE…
  for name; do echo '-- a word more' >>"$game/$name"; done
}
logs_each_file() {
  start_game
  save_roller 2
  expect_log "reloaded systems/roller.lua"
  mark_log
  while_suspended append_to components.lua lib/version.lua
  expect_log "reloaded "
  log_has components.lua || fail "components.lua is not named: $(log_since_mark)"
  log_has lib/version.lua || fail "lib/version.lua is not named: $(log_since_mark)"
}
it "a reload logs each changed file" logs_each_file

in_place() { roller "$1"; }
rename_over() { roller_text "$1" >"$tmp/aside" && mv "$tmp/aside" "$game/systems/roller.lua"; }
rename_beside() { roller_text "$1" >"$game/systems/roller.lua.tmp" && mv "$game/systems/roller.lua.tmp" "$game/systems/roller.lua"; }
delete_create() { rm "$game/systems/roller.lua" && roller "$1"; }
keeps_backup() { mv "$game/systems/roller.lua" "$game/systems/roller.lua~" && roller "$1"; }
copies_backup() { cp "$game/systems/roller.lua" "$game/systems/roller.lua.bak" && roller "$1"; }
like_vim() {
  echo swap >"$game/systems/.roller.lua.swp"
  : >"$game/systems/4913"
  rm "$game/systems/4913"
  keeps_backup "$1"
  rm "$game/systems/roller.lua~"
  echo swap >>"$game/systems/.roller.lua.swp"
}
like_emacs() {
  ln -sf "somebody@somewhere.1" "$game/systems/.#roller.lua"
  roller_text 77 >"$game/systems/#roller.lua#"
  roller "$1"
  rm "$game/systems/.#roller.lua" "$game/systems/#roller.lua#"
}
slowly() { # first writes half of the file, which is a syntax error
  roller_text "$1" >"$tmp/aside"
  { head -c 40 "$tmp/aside"; tail -c +41 "$tmp/aside"; } >"$game/systems/roller.lua"
}
link_over() {
  mkdir -p "$game/elsewhere"
  roller_text "$1" >"$game/elsewhere/roller.txt"
  ln -sf ../elsewhere/roller.txt "$game/systems/roller.lua"
}
editors() {
  start_game
  step=10
  for way in in_place rename_over rename_beside delete_create keeps_backup copies_backup like_vim like_emacs slowly link_over; do
    step=$((step + 1))
    mark_log
    while_suspended "$way" $step
    wait_for 20 log_has "step $step." || fail "$way: never seen: $(log_since_mark | grep -v tick=)"
    [ "$way" = slowly ] || silent_about "refused"
    silent_about "step 77."
    rm -f "$game"/systems/*.bak "$game"/systems/*~
  done
}
it "a reload detects ten ways in which editors save files" editors

by_console() {
  start_game --exec 'reload()'
  marked=0
  expect_log "reloaded all files"
  mark_log
  echo 'return { update = function() if world.tick % 50000 == 0 then reload() end end }' | file systems/asks.lua
  expect_log "step 1."
  mark_log
  expect_log "reloaded all files" "step 1."
}
it "reload() can be called from the console and from scripts" by_console

handlers() {
  start_game
  reloads=$([ -n "$LONG" ] && echo 20 || echo 6)
  for step in $(seq 2 $((reloads + 1))); do save_roller "$step"; done
  expect_tick
  late=$(probed late)
  [ "$late" -ge 0 ] && [ "$late" -le 1 ] || fail "$late of the emitted events were not received"
  [ "$(probed hooks)" = "$reloads" ] || fail "$(probed hooks) calls to reload() after $reloads reloads"
}
it "a reload registers no handler twice" handlers

held_code() {
  start_game
  mark_log
  echo 'local M = { number = 2 } function M.get() return M.number end return M' | file lib/version.lua
  expect_log "held 2 2 2 2 2 2" "keeper sees 2"
}
it "after a reload, functions stored in locals, tables, closures, coroutines and metatables run the new code" held_code

# ---- documented guarantees (section Reload)

any_file() {
  start_game
  for saved in game.lua components.lua assemblages.lua events.lua lib/version.lua behaviours/keeper.lua systems/probe.lua; do
    mark_log
    append_to "$saved"
    expect_log "reloaded $saved"
  done
  mark_log
  mkdir -p "$game/scenes"
  echo 'return {}' | file input.lua
  echo 'return { entities = {} }' | file scenes/attic.lua
  expect_log "reloaded "
  log_has input.lua || fail "a new file was not detected: $(log_since_mark)"
}
it "saving any Lua file of a game reloads the file, and new files are detected" any_file

locals() {
  start_game
  save_roller 2
  expect_tick
  first=$(missed_rolls)
  expect_tick
  [ "$(missed_rolls)" -gt "$first" ] || fail "STEP is what it was"
}
it "a reload reads file-level locals again" locals

data_lives() {
  start_game
  mark_log
  echo 'local M = { number = 2 } function M.get() return M.number end return M' | file lib/version.lua
  expect_log "keeper sees 2, has lived 0 too few ticks"
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "the component has lost rolls: $(missed_rolls)"
  [ "$(probed late)" -le 1 ] || fail "the single has lost events: $(probed late)"
}
it "a reload keeps data in components, singletons and behaviour fields" data_lives

refused_whole() { # refused_whole FILE MESSAGE: saves stdin as FILE together with a valid edit of the roller
  cat >"$tmp/wrong"
  mark_log
  cp "$game/$1" "$tmp/right"
  while_suspended save_both 5 "$tmp/wrong" "$1"
  expect_log "$2" "reload refused"
  silent_about "step 5."
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "$1: a part of the change was taken up: $(missed_rolls)"
  mark_log
  while_suspended save_both 1 "$tmp/right" "$1"
  expect_log "step 1."
  expect_tick
}
save_both() { roller "$1" && cp "$2" "$game/$3"; } # save_both STEP SOURCE FILE
one_error_rejects_all() {
  start_game
  echo 'local M = { number = = 2 } return M' | refused_whole lib/version.lua lib/version.lua:1
  echo 'return { ball = { rolls = 0, destroy = 1 } }' | refused_whole components.lua components.lua:1
  echo 'return { ball = { is = "bowl" } }' | refused_whole assemblages.lua assemblages.lua
  echo 'return { query = { "bowl" }, update = function(q) return q end }' | refused_whole systems/probe.lua systems/probe.lua:1
  echo 'error("while it is read")' | refused_whole game.lua game.lua:1
  [ "$(probed balls)" = 3 ] || fail "$(probed balls) balls"
}
it "an error in one file rejects the whole change, and the old code keeps running" one_error_rejects_all

resumes() {
  start_game
  mark_log
  sed 's/update = function(q)/update = function(q) error("on purpose")/' "$game/systems/roller.lua" >"$tmp/fails"
  cp "$tmp/fails" "$game/systems/roller.lua"
  expect_log "on purpose"
  expect_tick
  save_roller 1
  expect_tick
  rolls=$(probed rolls)
  expect_tick
  [ "$(probed rolls)" -gt "$rolls" ] || fail "the fixed system does not run"
}
it "saving a fix resumes a failed system" resumes

reports_changes() {
  start_game
  mark_log
  cat >"$game/components.lua" <<'END'
local t = shoal.types
return { ball = { rolls = 0, weight = 2.5, spin = t.i32(1) }, sums = t.single { sent = t.i32(0), heard = t.i32(0), hooks = t.i32(0),
  from = t.i32(0) } }
END
  expect_log "reloaded components.lua"
  log_has "2 fields added" || fail "$(log_since_mark | grep reloaded)"
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "the balls rolled $(probed rolls) in $(probed tick) ticks"
  mark_log
  sed 's/weight = 2.5, spin = t.i32(1)/mass = 2.5, renamed_from = { mass = "weight" }/' "$game/components.lua" >"$tmp/renamed"
  cp "$tmp/renamed" "$game/components.lua"
  expect_log "reloaded components.lua"
  log_has "1 field renamed" || fail "$(log_since_mark | grep reloaded)"
  log_has "1 field dropped" || fail "$(log_since_mark | grep reloaded)"
  mark_log
  echo 'return { update = function() end }' | file systems/third.lua
  expect_log "1 system added"
  mark_log
  rm "$game/systems/third.lua"
  expect_log "1 system removed"
  mark_log
  roller 3
  expect_log "1 system changed"
}
it "a reload reports how many fields and systems it has added, changed, renamed and removed" reports_changes

receives_reload_event() {
  start_game
  file systems/listens.lua <<'END'
return { on = { ["shoal.reload"] = function(ev)
  for i = 1, ev.count do log.info("told of %s, systems %d, fields %d", tostring(ev.files[i]), ev.systems[i], ev.fields[i]) end
end } }
END
  expect_log "told of systems/listens.lua, systems 1, fields 0"
  mark_log
  roller 3
  expect_log "told of systems/roller.lua, systems 1, fields 0"
  expect_tick
  [ "$(grep -c "told of systems/roller.lua" "$log")" = 1 ] || fail "the event was received more than once"
}
it "scripts receive the event shoal.reload with the changed file and the number of changes of each kind" receives_reload_event

live_entities() {
  start_game
  file systems/looks.lua <<'END'
return { start = function() world.find("first ball").transform.y = 7 end, reload = function()
  for e in world.each("ball") do log.info("ball at x=%g y=%g of %d", e.transform.x, e.transform.y, world.count("ball")) end
end, update = function() end }
END
  expect_log "reloaded systems/looks.lua"
  expect_tick
  mark_log
  echo 'return { ball = { components = { transform = { x = 5, y = 6 }, ball = {} } } }' | file assemblages.lua
  expect_log "reloaded assemblages.lua" "ball at x=5 y=6 of 3" "ball at x=1 y=7 of 3"
  [ "$(log_since_mark | grep -c "ball at x=5 y=6")" = 2 ] || fail "$(log_since_mark | grep "ball at")"
}
it "editing an assemblage updates existing entities, except overridden fields" live_entities

schema_error() {
  start_game
  mark_log
  echo 'return { ball = { rolls = shoal.types.nonsense(3) }, sums = shoal.types.single { sent = 0 } }' | file components.lua
  expect_log "components.lua:1" "reload refused"
  expect_tick
  [ "$(missed_rolls)" = 1 ] || fail "the balls rolled $(probed rolls) in $(probed tick) ticks"
}
it "an unknown type is reported with file and line, and the previous schema stays in use" schema_error

restored_folder() {
  start_game
  mark_log
  mv "$game/systems" "$tmp/away"
  expect_log "reloaded "
  mark_log
  mv "$tmp/away" "$game/systems"
  expect_log "held 1 1 1 1 1 1"
  expect_tick
  [ "$(probed balls)" = 3 ] || fail "$(probed balls) balls"
}
it "deleting and restoring a folder preserves the world's state" restored_folder

save_level() {
  echo 'return { rows = { "#..#", "#..#" } }' | file lib/map.lua
  echo '{ "entities": [ { "assemblage": "ball" } ] }' | file scenes/level.json
}
maps() {
  start_game
  while_suspended save_level
  expect_log "reloaded "
  mark_log
  file systems/builds.lua <<'END'
local map = require("lib.map")
return { reload = function() log.info("map of %d rows", #map.rows) world.scene("level") end, update = function() end,
  enter = function(e) log.info("a level of %d balls", world.count("ball")) end, query = { "ball" } }
END
  expect_log "reloaded systems/builds.lua"
  mark_log
  echo 'return { rows = { "#..#", "#..#", "####" } }' | file lib/map.lua
  expect_log "map of 3 rows" "a level of 1 balls"
  mark_log
  echo '{ "entities": [ { "assemblage": "ball" }, { "assemblage": "ball" } ] }' | file scenes/level.json
  expect_log "reloaded scenes/level.json" "a level of 2 balls"
  mark_log
  echo '{ "entities": [ { "assemblage": "bowl" } ' | file scenes/level.json
  expect_log "scenes/level.json" "reload refused"
}
it "an edited level is reloaded, both as a Lua module and as a JSON scene" maps

broken_assets() {
  start_game
  mkdir -p "$game/assets"
  cp "$root/assets/pictures/asteroids.png" "$game/assets/hero.png"
  cp "$root/scripts/games/asteroids/assets/wave.wav" "$game/assets/hum.wav"
  echo 'return { start = function() world.spawn(nil, { transform = {}, sprite = { image = "hero.png" } })
    world.spawn(nil, { sound = { file = "hum.wav", loop = true } }) end, update = function() end }' | file systems/shows.lua
  expect_log "reloaded systems/shows.lua"
  mark_log
  touch "$game/assets/hero.png" "$game/assets/hum.wav"
  expect_log "reloaded assets/hero.png" "reloaded assets/hum.wav"
  mark_log
  head -c 5000 "$root/assets/pictures/asteroids.png" >"$game/assets/hero.png"
  rm "$game/assets/hum.wav"
  expect_log "cannot load assets/hero.png" "cannot load assets/hum.wav: hum.wav: not found"
  silent_about "reloaded"
  expect_tick
}
it "a changed asset is reloaded, and an invalid or deleted asset keeps its previous version" broken_assets

# Edits follow each other immediately or after a few ticks, so that some reloads start while files are being copied.
# some_ticks LINES: waits until the game has logged that many more lines, but not long, because a reload may have seen
# the folder of systems empty, and the game then runs without a system that logs.
some_ticks() {
  wanted=$(($(wc -l <"$log") + $1))
  wait_for 1 has_lines "$wanted" || true
}
has_lines() { [ "$(wc -l <"$log")" -ge "$1" ]; }
storm() {
  binary=$sanitized
  start_game
  rm -rf "$tmp/whole"
  cp -R "$game" "$tmp/whole"
  for i in $(seq 1 $((LONG ? 40 : 16))); do
    case $((i % 8)) in
      0) rm -rf "$game/systems" && cp -R "$tmp/whole/systems" "$game/" ;;
      1) rm -rf "$game" && cp -R "$tmp/whole" "$game" ;;
      2) head -c "$((i * 10))" "$tmp/whole/systems/probe.lua" >"$game/systems/probe.lua" ;;
      3) mv "$game/lib" "$game/lib2" && some_ticks 1 && mv "$game/lib2" "$game/lib" ;;
      4) head -c 3000 /dev/urandom >"$game/components.lua" ;;
      5) for name in components assemblages events game; do cp "$tmp/whole/$name.lua" "$game/"; done ;;
      6) cp "$tmp/whole/systems/probe.lua" "$game/systems/" ;;
      7) for n in 1 2 3 4 5; do echo "-- $i $n" >>"$game/game.lua"; done ;;
    esac
    some_ticks $((i * 37 % 4))
  done
  rm -rf "$game" && cp -R "$tmp/whole" "$game"
  rm -rf "$tmp/whole"
  save_roller 2
  save_roller 1
  expect_tick
  first=$(missed_rolls)
  expect_tick
  [ "$(missed_rolls)" = "$first" ] || fail "not every tick rolls the balls by 1: $first, then $(missed_rolls)"
  marked=0
  silent_about "Sanitizer"
  silent_about "runtime error"
}
it "after a burst of saves, copies and deletions, the current code runs without sanitizer errors" storm
