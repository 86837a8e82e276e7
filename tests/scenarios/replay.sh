# Replays give the same hash in every tick, in every configuration, with any number of workers, across a restore, a
# rewind and a reload. Differences are reported, and files that are not recordings are rejected.
# needs: release checked
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

# A copy of Asteroids that rewinds in some ticks.
game=$tmp/asteroids
cp -r scripts/games/asteroids "$game"
allow_kept_locals "$game"
cat >"$game/systems/time_travel.lua" <<'END'
local snapshot, restored, rewound
return {
  phase = "post_update",
  update = function()
    if world.tick == 77 then
      for e in world.each("motion") do e.motion.vx = e.motion.vx + 0 end
    end
    if world.tick == 1000 and not snapshot then
      snapshot = world.snapshot()
    elseif world.tick == 1200 and not restored then
      restored = true
      world.restore(snapshot)
    elseif world.tick == 2000 and not rewound then
      rewound = true
      world.restore(1701)
    elseif world.tick == 2600 then
      reload()
    end
  end,
}
END

# play CONFIG FILE [options]: replays FILE and writes the hashes to $tmp/hashes.
play() {
  config=$1 file=$2
  shift 2
  run_for 300 "$(bin "$config")" run "$game" --trust --headless --no-watch --replay "$file" --hash every=60 "$@"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/hashes"
}

recorded() {
  luajit tests/scenarios/lib/random_input.lua "$tmp/keys" 3600 5 || fail "cannot generate key presses"
  play release "$tmp/keys" --record "$tmp/recording"
  exits 0
  cp "$tmp/hashes" "$tmp/first"
  [ "$(wc -l <"$tmp/first")" -ge 60 ] || fail "only $(wc -l <"$tmp/first") hashes"
  grep -c '^tick 1080 ' "$tmp/first" | grep -q 2 || fail "the restore had no effect"
  grep -c '^tick 1860 ' "$tmp/first" | grep -q 2 || fail "the rewind had no effect"
  says err "reloaded"
  [ -s "$tmp/recording" ] || fail "the recording is missing"
}
it_always "a game that restores a snapshot, rewinds and reloads can be recorded" recorded

replays_the_same() {
  play "$@"
  exits 0 err "match the recording"
  cmp -s "$tmp/first" "$tmp/hashes" || fail "$(diff "$tmp/first" "$tmp/hashes" | head -n 4)"
}
it "a recording replays to the same hashes in a release build" replays_the_same release "$tmp/recording"
it "a recording replays to the same hashes in a build with asserts" replays_the_same checked "$tmp/recording"
it "a recording replays to the same hashes with one worker" replays_the_same release "$tmp/recording" --workers 1
it "a recording replays to the same hashes with two workers" replays_the_same release "$tmp/recording" --workers 2

# changed EXPRESSION: replays the recording with a script edited by this sed expression.
changed() {
  cp "$game/systems/time_travel.lua" "$tmp/kept"
  sed "$1" "$tmp/kept" >"$game/systems/time_travel.lua"
  play release "$tmp/recording"
  cp "$tmp/kept" "$game/systems/time_travel.lua"
  exits 1 err "files differ from the recording's"
}

differs() {
  play release "$tmp/recording" --exec 'world.random()'
  exits 1 err "tick 1 is the first that differs"
  changed 's/world.tick == 2000/world.tick == 1900/'
  says err "tick 1702 is the first that differs"
}
it "a replay reports the first tick that differs and the scripts that have changed" differs

reports_difference() {
  changed 's/vx + 0/vx + 1/'
  says err "tick 78 is the first that differs: "
  grep -q 'differs: .*motion' "$tmp/err" || fail "$(tail -n 3 "$tmp/err")"
  line=$(grep -m 1 'recorded and current value: entity([0-9:]* ".*") motion.vx: ' "$tmp/err") || fail "$(tail -n 5 "$tmp/err")"
  echo "$line" | awk '{ a = $(NF - 2); b = $NF; exit !(b - a > 0.99 && b - a < 1.01) }' || fail "unexpected values: $line"
}
it "a replay reports a difference with component, entity, field and both values" reports_difference

cut_off() {
  head -c 60000 "$tmp/recording" >"$tmp/cut"
  play release "$tmp/cut"
  exits 1 err "truncated"
  head -c 100 "$tmp/recording" >"$tmp/cut"
  play release "$tmp/cut"
  exits 2
  expect_one_line err
  says err "not a recording"
}
it "a truncated recording replays up to its end" cut_off

damaged() {
  cp "$tmp/recording" "$tmp/damaged"
  printf 'XXXX' | dd of="$tmp/damaged" bs=1 seek=30000 conv=notrunc 2>/dev/null
  play release "$tmp/damaged"
  exits 1 err "damaged"
  play release "$game/game.lua"
  exits 2 err "not a recording"
  play release "$tmp/nothing_here"
  exits 2
  expect_one_line err
}
it "a damaged recording and a file that is not a recording are errors" damaged

# A crash writes a recording of the last seconds before it.
crash() {
  mkdir -p "$tmp/crash"
  cd "$tmp/crash" || exit 1
  launch "$release" run "$root/scripts/games/asteroids" --headless --no-watch --history 64 --record all.replay \
    --ticks 100000000 --hash every=300
  trap stop_program EXIT
  wait_for 60 grep -q '^tick 2100 ' "$log" || fail "$(cat "$log")"
  kill -SEGV "$program"
  status=0
  wait "$program" || status=$?
  program=
  [ "$status" -gt 128 ] || fail "the program survived SIGSEGV: $(cat "$log")"
  set -- shoal-*.replay
  [ -s "$1" ] || fail "no recording: $(cat "$log")"
  run_for 60 "$release" run "$root/scripts/games/asteroids" --headless --no-watch --replay "$1"
  exits 0 err "match the recording"
  ticks=$(sed -n 's/^replay: \([0-9]*\) ticks.*/\1/p' "$tmp/err")
  [ "$ticks" -ge 1700 ] || fail "only $ticks ticks"
}
it "a crash saves a recording of the last seconds" crash

# A game that prints the events of its window and devices, and refuses to quit.
mkdir -p "$tmp/listens/systems"
echo 'return { title = "Listens" }' >"$tmp/listens/game.lua"
echo 'return { seen = shoal.types.single { count = 0, last = shoal.types.string "", wide = 0, full = 0 } }' \
  >"$tmp/listens/components.lua"
cat >"$tmp/listens/systems/ears.lua" <<'END'
return { phase = "input", on = { ["shoal.window"] = function(ev)
  local seen = world.single.seen
  for i = 1, ev.count do
    local kind = ev.kind[i]
    seen.count, seen.last, seen.wide = seen.count + 1, kind, ev.width[i] + world.random()
    if window.fullscreen() then seen.full = seen.full + 1 end
    if kind == "quit" then world.quit(false) end
    print(world.tick, kind, ev.width[i], ev.height[i])
  end
end } }
END
cat >"$tmp/listens/systems/devices.lua" <<'END'
local on = {}
for _, name in ipairs { "key_pressed", "key_released" } do
  on[name] = function(ev) for i = 1, ev.count do print(world.tick, name, ev.key[i]) end end
end
for _, name in ipairs { "pad_pressed", "pad_released" } do
  on[name] = function(ev) for i = 1, ev.count do print(world.tick, name, ev.pad[i] .. " " .. ev.button[i]) end end
end
for _, name in ipairs { "pad_connected", "pad_disconnected" } do
  on[name] = function(ev) for i = 1, ev.count do print(world.tick, name, ev.pad[i]) end end
end
for _, name in ipairs { "mouse_pressed", "mouse_released" } do
  on[name] = function(ev)
    local x = input.mouse()
    for i = 1, ev.count do print(world.tick, name, ev.button[i], ev.x[i] == x) end
  end
end
on.mouse_wheel = function(ev) for i = 1, ev.count do print(world.tick, "mouse_wheel", ev.notches[i], ev.y[i]) end end
on.fullscreen_changed = function(ev) for i = 1, ev.count do print(world.tick, "fullscreen_changed", ev.on[i]) end end
return { on = on }
END
window_events() {
  game=$tmp/listens
  luajit tests/scenarios/lib/random_input.lua "$tmp/window" 600 5 window || fail "no recording"
  play release "$tmp/window" --record "$tmp/window_lived"
  exits 0
  for kind in minimised restored resized focus_lost focus_gained quit; do says out "	$kind	"; done
  for event in "key_pressed	space" "key_released	space" "pad_pressed	2 b" "pad_released	2 b" "pad_connected	2" \
    "pad_disconnected	2" "mouse_pressed	left	true" "mouse_released	left	true" "mouse_wheel	2	0" \
    "fullscreen_changed	true" "fullscreen_changed	false"; do
    says out "	$event"
  done
  grep -v '^tick' "$tmp/out" >"$tmp/events_first"
  cp "$tmp/hashes" "$tmp/first"
  [ "$(wc -l <"$tmp/first")" -ge 3 ] || fail "only $(wc -l <"$tmp/first") hashes"
  for config in release checked; do
    replays_the_same $config "$tmp/window_lived"
    grep -v '^tick' "$tmp/out" | cmp -s - "$tmp/events_first" || fail "events differ in $config"
  done
  replays_the_same release "$tmp/window_lived" --check-rollback 5
}
it "window, key, mouse and gamepad events are recorded, and a replay without devices delivers the same events" window_events

# A game that sums and prints the movements of the mouse.
mkdir -p "$tmp/moves/systems"
echo 'return { title = "Moves" }' >"$tmp/moves/game.lua"
echo 'return { aim = shoal.types.single { x = 0.0, y = 0.0 } }' >"$tmp/moves/components.lua"
cat >"$tmp/moves/systems/aim.lua" <<'END'
return { update = function()
  local aim, mouse = world.single.aim, input.mouse
  aim.x, aim.y = aim.x + mouse.dx, aim.y + mouse.dy
  print("moved", world.tick, mouse.dx, mouse.dy, aim.x, aim.y)
end }
END
# mouse_movements GAME ARGUMENT…: plays the game with the random input that the arguments describe
mouse_movements() {
  game=$tmp/$1
  shift
  luajit tests/scenarios/lib/random_input.lua "$tmp/motion" 300 5 "$@" || fail "no recording"
  play release "$tmp/motion" --record "$tmp/motion_lived"
  exits 0
  grep '^moved' "$tmp/out" >"$tmp/moves_first"
  cp "$tmp/hashes" "$tmp/first"
  [ "$(cut -f 3,5 "$tmp/moves_first" | sort -u | wc -l)" -ge 10 ] || fail "$(head -n 5 "$tmp/moves_first")"
  for config in release checked; do
    replays_the_same $config "$tmp/motion_lived"
    grep '^moved' "$tmp/out" | cmp -s - "$tmp/moves_first" || fail "movements differ in $config"
  done
  replays_the_same release "$tmp/motion_lived" --check-rollback 5
}
it "movements of the mouse are recorded, and a replay without devices gives a game the same movements" \
  mouse_movements moves window

# The same game with two players, of whom only player 1 has the machine's mouse.
cp -r "$tmp/moves" "$tmp/player_moves"
echo 'return { title = "Moves", multiplayer = { players = { 2, 8 } } }' >"$tmp/player_moves/game.lua"
sed -i 's/input.mouse$/input.mouse[1]/; s/mouse.dy, aim.x/mouse.dy + input.mouse[2].dx, aim.x/' \
  "$tmp/player_moves/systems/aim.lua"
it "movements of a player's mouse are recorded, and a replay gives a game the same movements" \
  mouse_movements player_moves Moves "20-150:mouse 3.3 -1.27"
older_recordings() {
  has_line() { grep -q "$1" "$tmp/out" || fail "$(grep '^moved' "$tmp/out" | tail -n 2)"; }
  game=$tmp/player_moves
  luajit tests/scenarios/lib/random_input.lua "$tmp/older" 300 5 Moves "20-150:mouse 0.5 -2" || fail "no recording"
  play release "$tmp/older"
  has_line '^moved	299	0	0	65.5	-262$'
  luajit tests/scenarios/lib/random_input.lua "$tmp/older" 300 5 Moves players || fail "no recording"
  play release "$tmp/older"
  has_line '^moved	299	0	0	0	0$'
}
it "in older recordings, a player has the movements of the recorded mouse, or none if only inputs were recorded" older_recordings

# A game that pauses for three frames and prints when its systems receive the events paused and resumed.
mkdir -p "$tmp/rests/systems"
echo 'return { title = "Rests" }' >"$tmp/rests/game.lua"
echo 'return { rest = shoal.types.single { frames = 0 } }' >"$tmp/rests/components.lua"
cat >"$tmp/rests/systems/early.lua" <<'END'
return {
  phase = "input",
  on = {
    paused = function(ev) print(world.tick, "input system: paused", ev.count, world.is_paused()) end,
    resumed = function(ev) print(world.tick, "input system: resumed", ev.count, world.is_paused()) end,
  },
  update = function()
    local rest = world.single.rest
    if world.is_paused() then
      rest.frames = rest.frames + 1
      world.pause(rest.frames < 3)
    end
  end,
}
END
cat >"$tmp/rests/systems/late.lua" <<'END'
return {
  on = {
    paused = function(ev) print(world.tick, "update system: paused", ev.count, world.is_paused()) end,
    resumed = function(ev) print(world.tick, "update system: resumed", ev.count, world.is_paused()) end,
  },
  update = function()
    if world.tick == 5 then
      world.pause()
    end
  end,
}
END
pauses() {
  game=$tmp/rests
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 130 --record "$tmp/rests_lived" --hash every=60
  exits 0
  grep 'system:' "$tmp/out" >"$tmp/events_first"
  printf '%s\t%s system: %s\t1\t%s\n' 6 input paused true 6 input resumed false 6 update paused false \
    6 update resumed false >"$tmp/expected"
  cmp -s "$tmp/expected" "$tmp/events_first" || fail "$(cat "$tmp/events_first")"
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/first"
  for config in release checked; do
    replays_the_same $config "$tmp/rests_lived"
    grep 'system:' "$tmp/out" | cmp -s - "$tmp/events_first" || fail "events differ in $config"
  done
  replays_the_same release "$tmp/rests_lived" --check-rollback 5
}
it "input systems receive the event paused during the pause, and other systems receive it after the pause" pauses

# A game that loads a save during a pause, so that frames of an earlier tick follow.
mkdir -p "$tmp/resumes/systems"
echo 'return { tests = true, title = "Resumes" }' >"$tmp/resumes/game.lua"
cat >"$tmp/resumes/systems/pause.lua" <<'END'
local frames = 0
return {
  phase = "input",
  update = function()
    if world.tick == 9 then world.save("early") end
    if world.tick == 29 or frames > 0 then frames = frames + 1 end
    if frames == 1 then world.pause(true) end
    if frames == 4 then world.load("early") end
    if frames == 8 then world.pause(false) end
  end,
}
END
loads_in_pause() {
  game=$tmp/resumes
  run_for 60 "$release" run "$game" --headless --no-watch --ticks 130 --record "$tmp/resumes_lived" --hash every=60
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/first"
  replays_the_same release "$tmp/resumes_lived"
  says err "150 ticks match the recording"
}
it "a recording in which a save is loaded during a pause replays to the same hashes" loads_in_pause

# The limit of file sizes (here 40 KiB or 20 KiB, depending on the shell) acts like a full disk.
full_disk() {
  status=0
  (ulimit -f 40 && exec timeout $((60 * SLOW / 100)) "$release" play asteroids --headless --ticks 2000 --record "$tmp/cut") \
    >"$tmp/out" 2>"$tmp/err" || status=$?
  exits 1 err "cannot write the recording $tmp/cut at tick" "File too large"
  [ "$(grep -c "cannot write" "$tmp/err")" = 1 ] || fail "reported several times: $(cat "$tmp/err")"
}
it "a recording that can no longer be written is reported once, and the exit status is 1" full_disk

# A game that restarts in its fifth tick.
mkdir -p "$tmp/anew/systems"
echo 'return { title = "Anew", start = function() print("start") end }' >"$tmp/anew/game.lua"
echo 'return { update = function() if world.tick == 5 then world.restart() end print("tick " .. world.tick) end }' \
  >"$tmp/anew/systems/again.lua"
restarts() {
  game=$tmp/anew
  run_for 60 "$release" run "$game" --headless --ticks 14 --record "$tmp/anew_lived"
  exits 0
  [ "$(grep -c start "$tmp/out")" = 3 ] || fail "the game did not start three times: $(cat "$tmp/out")"
  ! grep -q "tick 6" "$tmp/out" || fail "a tick of the old world ran after the restart: $(cat "$tmp/out")"
  says err "the recording in $tmp/anew_lived ends here: the game restarted"
  play release "$tmp/anew_lived"
  exits 0
  [ "$(grep -c start "$tmp/out")" = 1 ] || fail "the replay restarted: $(cat "$tmp/out")"
  says err "world.restart() is ignored in a replay" "6 ticks match the recording"
}
it "world.restart restarts the game at the end of the tick and is ignored in a replay" restarts

# A game whose start fails after the first time. Both the failed starts and the ticks around them read external input.
refused_restarts() {
  game=$tmp/refused
  rm -rf "$game" "$XDG_DATA_HOME/shoal/saves/refused"
  mkdir -p "$game/systems" "$game/assets"
  echo words >"$game/assets/words.txt"
  cat >"$game/game.lua" <<'END'
return { title = "Refused", id = "refused", start = function()
  print("start", #world.saves(), world.load("never"), settings.best, #assets.text "words.txt", assets.ready())
  world.spawn(nil, { name = "it", transform = { x = world.random(100) } })
  if #world.saves() > 0 then world.import("level") error("refused on purpose") end
end }
END
  echo 'return { best = 0 }' >"$game/settings.lua"
  cat >"$game/systems/again.lua" <<'END'
return { update = function()
  local t = world.tick
  if t == 3 then world.save("slot") world.export("level") settings.best = 7 end
  if t % 4 == 1 and t > 4 then world.restart() end
  for e in world.each("transform") do e.transform.x = e.transform.x + world.random() + #world.saves() end
  if t == 6 then world.import("level") end
  print(t, #world.saves(), settings.best, #assets.text "words.txt", assets.ready(), world.count("transform"))
end }
END
  run_for 60 "$release" run "$game" --headless --ticks 24 --hash every=1 --record "$tmp/refused_lived"
  exits 1
  [ "$(grep -c "refused on purpose" "$tmp/err")" -ge 1 ] && [ "$(grep -c "^start" "$tmp/out")" = 6 ] ||
    fail "expected five refused restarts: $(cat "$tmp/out" "$tmp/err")"
  grep -v "^start" "$tmp/out" >"$tmp/refused_printed"
  play release "$tmp/refused_lived" --hash every=1
  exits 0
  grep -v "^start" "$tmp/out" | cmp - "$tmp/refused_printed" || fail "the replay printed: $(cat "$tmp/out")"
  says err "24 ticks match the recording"
}
it "a recording in which world.restart() fails replays to the same hashes" refused_restarts

# reports_failures SYSTEM TEXT [OPTIONS]: records a run in which a system fails; its replay must report the same failures.
reports_failures() {
  game=$tmp/failing
  rm -rf "$game"
  mkdir -p "$game/systems"
  echo 'return { title = "Failing" }' >"$game/game.lua"
  echo "$1" >"$game/systems/a.lua"
  text=$2
  shift 2
  run_for 60 "$release" run "$game" --headless --ticks 100 --record "$tmp/failing.replay" "$@"
  exits 1 err "$text"
  grep '^error' "$tmp/err" >"$tmp/failures"
  expect_one_line failures
  run_for 60 "$release" run "$game" --headless --replay "$tmp/failing.replay"
  exits 1 err "100 ticks match the recording"
  grep '^error' "$tmp/err" | cmp - "$tmp/failures" || fail "the replay reported: $(cat "$tmp/err")"
}
it "a replay reports a stack overflow of the recorded run" reports_failures \
  'local function f(n) return 1 + f(n) end return { update = function() if world.tick == 5 then f(1) end end }' \
  "error in system a: systems/a.lua:1: stack overflow: endless recursion"
it "a replay reports a system that the time budget stopped in the recorded run" reports_failures \
  'return { update = function() while world.tick == 5 do end end }' "systems/a.lua:1: stopped after 50 ms" --budget 50
it "a replay reports an error whose changes were undone in the recorded run" reports_failures \
  'return { update = function() if world.tick == 5 then error("on purpose") end end }' \
  "error in system a: systems/a.lua:1: on purpose" --watch
