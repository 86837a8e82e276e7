# A plugin that crashes late, in development: the supervised program starts again from the last state, without the
# plugin, whose components keep their values until it is rebuilt. Elsewhere the program ends with a report.
# needs: release
. "$(dirname "$0")/../lib.sh"
screen_width=640 screen_height=360
. "$root/tests/display.sh"
unset CI

game=$tmp/stove
here=$root/tests/window/plugins

# build SOURCE FLAG…: builds a plugin and renames it over the loaded library, as linkers do.
build() {
  source=$1 name=$(basename "$1" .c)
  shift
  ${CC:-cc} -std=c11 -O1 -g -fPIC -shared -ffp-contract=off -I"$root/engine/include" "$@" -o "$tmp/new.so" "$source" ||
    fail "$source does not compile with $*"
  mkdir -p "$game/plugins"
  cp "$source" "$game/plugins"
  mv "$tmp/new.so" "$game/plugins/$name.so"
}
build_plugin() { build "$here/stove.c" "$@"; }

# make_game: creates a game that logs its state every 8 ticks: by how many ticks the entity's clock is behind, and the
# values of the plugin's component: 5, plus 1 in each tick, and 7.
make_game() {
  rm -rf "$game" "$tmp"/*.crash.txt "$tmp"/*.replay "$XDG_DATA_HOME"
  mkdir -p "$game/systems"
  cat >"$game/game.lua" <<'END_OF_FILE'
return { title = "Stove", width = 640, height = 360, plugins = { "stove" }, start = function()
  log.info("game start")
  world.spawn("stove", { name = "Big", heat = { rate = 7 } })
end }
END_OF_FILE
  echo 'return { clock = { ticks = 0 } }' >"$game/components.lua"
  echo 'return { stove = { components = { heat = { value = 5 }, clock = {} } } }' >"$game/assemblages.lua"
  cat >"$game/systems/count.lua" <<'END_OF_FILE'
return { query = { "clock" }, each = function(e)
  e.clock.ticks = e.clock.ticks + 1
  if world.tick % 8 == 0 then
    local good, rows = pcall(world.sql, "SELECT value, rate, entity FROM heat")
    local heat = good and #rows == 1 and ("%d/%d/%s"):format(rows[1].value, rows[1].rate, e:name()) or "none"
    log.info("tick=%d behind=%d heat=%s .", world.tick, world.tick + 1 - e.clock.ticks, heat)
  end
end }
END_OF_FILE
}
supervise() { # supervise FLAG…: builds the plugin and starts the game as ./shoal run does
  build_plugin "$@"
  start supervise run "$game" --seed 3
}
starts_again() {
  expect_log "crash: report: shoal-48.crash.txt"
  expect_log "shoal: starting the game again after the crash; another crash ends it"
}
# is_warmer THAN: succeeds if the plugin has raised the value of its component above THAN, and no tick was lost.
is_warmer() {
  last=$(log_since_mark | grep 'heat=.* \.$' | tail -n 1)
  heat=$(echo "$last" | sed -n 's|.* behind=0 heat=\([0-9]*\)/7/Big .*|\1|p')
  [ "${heat:-0}" -gt "$1" ]
}
expect_warmer() { wait_for 20 is_warmer "$1" || fail "expected more than $1, got: $last"; }
keeps_running() { mark_log; expect_log "tick="; }

make_game
supervise -DCRASH_TICK=48
continues() {
  starts_again
  expect_log "plugin stove: Crashed in tick 48: SIGSEGV, invalid memory access, in burn at "
  expect_log "The game continues from tick 48. The plugin's components keep their values."
  expect_log "tick=64 behind=0 heat=53/7/Big"
  has_window Stove
  wait_for 20 with_card crashed || fail "no card: $(card_shown crashed) red pixels"
  grep -q "^resume it without plugin stove: shoal run $game --resume shoal-48.crash.txt" shoal-48.crash.txt ||
    fail "$(cat shoal-48.crash.txt)"
}
it "after a plugin's crash, the game continues from the last state with the plugin's values, and a card reports the crash" \
  continues

keeps_values() {
  for number in 1 2; do
    mark_log
    echo "return { update = function() local number = $number end }" | save systems/other.lua
    expect_log "reloaded systems/other.lua"
    keeps_running
    expect_log "heat=53/7/"
  done
}
it "edits while the plugin is not loaded keep the plugin's values" keeps_values

rebuilt() {
  mark_log
  build_plugin
  expect_log "reloaded stove.so"
  expect_warmer 53
  wait_for 20 without_card rebuilt || fail "the card is still shown"
}
it "a rebuilt plugin is loaded again with its values, and the card disappears" rebuilt

ends_after_second_crash() {
  mark_log
  build_plugin -DCRASH_AFTER=8
  wait_for 20 program_has_exited || fail "still running: $(log_since_mark)"
  ! log_has "starting the game again" || fail "$(log_since_mark)"
  [ "$(grep -c "starting the game again" "$log")" = 1 ] || fail "$(cat "$log")"
  ! grep -l "^resume it" *.crash.txt | grep -v shoal-48.crash.txt || fail "the second report offers another restart"
}
it "after a second crash of a plugin, the program does not start again" ends_after_second_crash
stop_program
it "the supervisor ends with the signal of the second crash" expect_exit 139

manager_data() {
  make_game
  echo 'return { title = "Stove", plugins = { "store" }, start = function() world.spawn("stove"):add("age") end }' >"$game/game.lua"
  echo 'return { stove = { components = { clock = {} } } }' >"$game/assemblages.lua"
  sed -i 's/value, rate, entity FROM heat/ticks AS value, 7 AS rate FROM age/; s/e:name()/"Big"/' "$game/systems/count.lua"
  build "$root/tests/scenarios/plugins/store.c" -DCRASH_TICK=48
  start supervise run "$game" --seed 3
  starts_again
  expect_log "tick=64 behind=0 heat=48/7/Big"
  mark_log
  build "$root/tests/scenarios/plugins/store.c"
  expect_log "reloaded store.so"
  expect_warmer 48
  stop_program
  expect_exit 0
}
it "the private data of a manager is kept after its plugin has crashed" manager_data

already_rebuilt() {
  make_game
  build_plugin -DCRASH_TICK=48
  run_for 20 "$release" run "$game" --seed 3
  exits 139
  build_plugin
  start run "$game" --resume shoal-48.crash.txt
  expect_log "The game continues from tick 48." "tick=56 behind=0 heat=61/7/Big"
  stop_program
  expect_exit 0
}
it "--resume continues with a library that was rebuilt since the crash" already_rebuilt

damaged_heap() {
  make_game
  sed -i 's/e.clock.ticks = e.clock.ticks + 1/& if world.tick == 19 then world.save("early") end/' \
    "$game/systems/count.lua"
  supervise -DCRASH_TICK=48 -DDAMAGE_HEAP
  starts_again
  expect_log "The game continues from the save early.sqlite (tick 20), because the heap was damaged (found by "
  expect_log "tick=24 behind=0 heat=25/7/Big"
  grep -q '^heap: damaged, found by free' shoal-48.crash.txt || fail "$(cat shoal-48.crash.txt)"
  mark_log
  build_plugin
  expect_log "reloaded stove.so"
  expect_warmer 25
  stop_program
  expect_exit 0
}
it "after a crash with a damaged heap, the game continues from the newest save" damaged_heap

no_save() {
  make_game
  sed -i 's/, { name = "Big".*)/)/' "$game/game.lua"
  supervise -DCRASH_TICK=48 -DDAMAGE_HEAP
  starts_again
  expect_log "The game starts again, because the heap was damaged (found by "
  expect_log "tick=8 behind=0 heat=none"
  stop_program
  expect_exit 0
}
it "after a crash with a damaged heap and without a save, the game starts again" no_save

silent_damage() { # the plugin damages the heap after a reload, and the host's next allocations crash
  make_game
  sed -i 's/e.clock.ticks = e.clock.ticks + 1/& if world.tick == 19 then world.save("early") end/' \
    "$game/systems/count.lua"
  supervise
  expect_log "tick=24 "
  build_plugin -DCRASH_AFTER=8 -DDAMAGE_HEAP_SILENTLY
  expect_log "reloaded stove.so" "crash: the heap was damaged earlier (found by "
  expect_log "shoal: starting the game again after the crash; another crash ends it"
  expect_log "The game continues from the save early.sqlite (tick 20), because the heap was damaged (found by "
  cat "$tmp"/shoal-*.crash.txt >said
  ! grep -q "^code: plugin" said || fail "the crash happened in the plugin: $(cat said)"
  grep -q "^loaded plugin: stove, $game/plugins/stove.so, reloaded in tick [1-9]" said || fail "$(cat said)"
  grep -q "^find the write: run make sanitize" said || fail "$(cat said)"
  wait_for 20 program_has_exited || fail "the second crash did not end the program"
  program=
}
it "after a plugin has silently damaged the heap, the report lists the plugins, and the game continues from the newest save" \
  silent_damage

never_returns() {
  make_game
  supervise -DCRASH_TICK=48 -DEXITS
  starts_again
  expect_log "The game continues from tick 48."
  stop_program
}
it "a plugin that exits the process counts as crashed" never_returns

ends() { # ends COMMAND…: the program ends with the signal, and its report offers no restart
  make_game
  build_plugin -DCRASH_TICK=48
  run_for 30 "$@"
  exits 139 err "crash: report: shoal-48.crash.txt"
  ! grep -q "starting the game again" err || fail "$(cat err)"
  ! grep -q "^resume it" shoal-48.crash.txt || fail "$(cat shoal-48.crash.txt)"
}
it "a headless run ends after a plugin's crash" ends "$release" supervise run "$game" --headless --ticks 100
it "a run without --watch ends after a plugin's crash" ends "$release" supervise run "$game" --no-watch --ticks 100
it "a run with --strict ends after a plugin's crash" ends "$release" supervise run "$game" --strict --ticks 100
it "a run in continuous integration ends after a plugin's crash" ends env CI=true "$release" supervise run "$game" --ticks 100

stops() { # stops SIGNAL: the signal, sent to the supervisor only, ends the program
  make_game
  supervise
  expect_log "tick=8 "
  child=$(pgrep -P "$program")
  kill "-$1" "$program"
  wait_for 20 has_exited "$child" || fail "the game still runs after $1"
  wait "$program"
  program=
}
it "SIGTERM to the supervisor ends the game" stops TERM
it "the game ends when its supervisor is killed" stops KILL

front_end() {
  make_game
  build_plugin
  sed -n '/^  play | run)/,/;;/p' "$root/shoal" | grep -qF 'supervise "$command" "$@"' || fail "./shoal run has no supervisor"
  run_for 20 "$release" supervise run "$game" --headless --ticks 3 --unknown
  exits 2 err "unknown option “--unknown”"
  run_for 20 "$release" supervise run "$game" --ticks 3
  exits 0
}
it "the supervisor exits with the exit status of its program" front_end

bad_reports() {
  make_game
  build_plugin
  run_for 20 "$release" run "$game" --resume missing.crash.txt --headless --ticks 3
  exits 2 err "missing.crash.txt"
  echo "no report" >wrong.txt
  run_for 20 "$release" run "$game" --resume wrong.txt --headless --ticks 3
  exits 2 err "wrong.txt is not a report of a crash in a running game"
  printf 'Shoal 0.1.0 was terminated by a crash.\n\nfolder: %s\ntick: 3\n' "$game" >script.txt
  run_for 20 "$release" run "$game" --resume script.txt --headless --ticks 3
  exits 2 err "script.txt: the report names no plugin"
  printf 'code: plugin stove, burn at stove.c:1\nlibrary hash: 1\nrecording: missing.replay\n' | cat script.txt - >lost.txt
  run_for 20 "$release" run "$game" --resume lost.txt --headless --ticks 10
  exits 0 err "The game starts again, because missing.replay"
}
it "--resume refuses an invalid report, and restarts the game if the report's recording is missing" bad_reports
