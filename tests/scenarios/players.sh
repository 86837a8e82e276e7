# Games that declare players: actions of several players on one machine, recordings that contain the players' inputs
# instead of relying on key bindings, joins and leaves, and the rules that keep such a game the same on all machines.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
space=44 f=9 a=4 d=7 left=80 enter=40 # scancodes

# make_game: writes the game `duel`, which counts what each player did.
make_game() {
  rm -rf duel data
  mkdir -p duel/systems
  echo 'return { title = "Duel", id = "duel_test", width = 320, height = 180, multiplayer = { players = { 2, 4 } } }' \
    >duel/game.lua
  echo 'return { fire = { "key:space", "key2:f", "pad:a" },
    move = { negative = { "key:left", "key2:a" }, positive = { "key:right", "key2:d" } } }' >duel/input.lua
  echo 'local t = shoal.types
    return { score = t.single { joins = 0, one = 0, two = 0, held = 0, any = 0, x = 0.0, y = 0.0 } }' \
    >duel/components.lua
  cat >duel/systems/play.lua <<'END'
return {
  on = {
    player_joined = function(ev)
      for i = 1, ev.count do
        world.single.score.joins = world.single.score.joins * 10 + ev.player[i]
      end
    end,
  },
  update = function()
    local score = world.single.score
    if input.pressed("fire", 1) then score.one = score.one + 1 end
    if input.pressed("fire", 2) then score.two = score.two + 1 end
    if input.down("fire", 2) then score.held = score.held + 1 end
    for number = 1, 4 do
      if input.released("fire", number) then score.any = score.any + 1 end
    end
    score.x = score.x + input.axis("move", 1)
    score.y = score.y + input.axis("move", 2)
  end,
}
END
}

make_game_without_players() {
  make_game
  sed -i 's/, multiplayer = .*$/ }/' duel/game.lua
  sed -i '2,8d' duel/systems/play.lua
}

# press TICKS PRESSES: writes `keys`, a recording of devices only.
press() {
  luajit "$root/tests/scenarios/lib/random_input.lua" keys "$1" 1 Duel "$2" || fail "cannot generate key presses"
}

# score QUERY FILE [options]: prints values of the singleton `score` after a replay.
score() {
  query=$1 file=$2
  shift 2
  run_for 30 "$release" sql duel "SELECT $query FROM score" --ticks 40 --replay "$file" --strict "$@"
  exits 0
}

two_players_on_one_keyboard() {
  make_game
  press 40 "5-9:$space 12:$space 7-11:$f 20-24:$left 22-27:$d"
  score "one || ' ' || two || ' ' || held || ' ' || any || ' ' || x || ' ' || y AS all_of_them" keys
  says out "2.0 1.0 5.0 3.0 -5.0 6.0"
}
it "two players on one keyboard have separate actions" two_players_on_one_keyboard

joined() {
  make_game
  run_for 30 "$release" sql duel "SELECT joins FROM score" --ticks 3
  says out "12"
  run_for 30 "$release" sql duel "SELECT joins FROM score" --ticks 3 --players 3
  says out "123"
  run_for 30 "$release" run duel --headless --no-watch --ticks 3 --players 3 \
    --exec 'for _, p in ipairs(players.list()) do print(p.number, p.name) end'
  exits 0
  sed -i 's/local score = world.single.score/local score = world.single.score\n    if world.tick == 2 then for _, p in ipairs(players.list()) do print(p.number, p.name, p.colour.r > 0) end end/' \
    duel/systems/play.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 3 --players 3
  says out "3	Player 3	false"
}
it "players join in the first tick, and --players sets their number" joined

reads_field() { # reads_field FIELD MESSAGE
  echo "return { update = function() for _, p in ipairs(players.list()) do local _ = p.$1 end end }" \
    >duel/systems/reader.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 3 --players 3
  rm duel/systems/reader.lua
  says err "systems/reader.lua:1: $2"
}
it "reading a misspelled field of a player is an error" reads_field nmae "a player has no field nmae (did you mean name?)"
for field in ping connected is_local; do
  it "reading $field of a player in the simulation is an error" \
    reads_field $field "$field of a player can be read only in systems with phase = \"render\""
done

single_player_uses_all_keys() {
  make_game
  sed -i 's/{ 2, 4 }/{ 1, 4 }/' duel/game.lua
  press 40 "5-9:$space 15:$space 7-11:$f 20-24:$left 22-27:$d"
  score "one || ' ' || two || ' ' || x || ' ' || y AS all_of_them" keys
  says out "2.0 0.0 1.0 0.0"
}
it "a single player can use the keys of all player numbers" single_player_uses_all_keys

# Two players play; a third player joins and leaves. The inputs and joins are the same in a replay and in re-simulated
# ticks.
changes_local_players() {
  make_game
  sed -i 's/{ 2, 4 }/{ 1, 4 }/' duel/game.lua
  printf 'return { phase = "input", update = function()
    if world.tick == 3 then players.set_local(3) elseif world.tick == 4 then players.set_local(2) end end }\n' \
    >duel/systems/local.lua
  press 40 "7-9:$space 12:$f"
  run_for 30 "$release" run duel --headless --no-watch --ticks 40 --replay keys --record local.replay --hash every=5 \
    --check-rollback 2
  exits 0
  cp out first
  run_for 30 "$release" run duel --headless --no-watch --replay local.replay --hash every=5
  exits 0
  cmp -s first out || fail "$(diff first out | head -n 4)"
  score "joins || ' ' || one || ' ' || two AS all_of_them" local.replay
  says out "123.0 1.0 1.0"
  for count in 0 5 1.5 '"two"'; do
    run_for 30 "$release" run duel --headless --no-watch --ticks 1 --exec "players.set_local($count)"
    says err "players.set_local: the number of players must be an integer from 1 to 4, got"
  done
}
it "players.set_local changes the number of players on a machine, and a replay repeats the changes" changes_local_players

# The recording contains the players' inputs, so a different input.lua does not change the replay.
replays_with_other_bindings() {
  make_game
  press 40 "5-9:$space 12:$space 7-11:$f 20-24:$left 22-27:$d"
  run_for 30 "$release" run duel --headless --no-watch --replay keys --record duel.replay --hash every=5
  exits 0
  cp out first
  echo 'return { fire = { "key:k" }, move = { negative = "key:j", positive = "key:l" } }' >duel/input.lua
  run_for 30 "$release" run duel --headless --no-watch --replay duel.replay --hash every=5
  exits 0 err "match the recording"
  cmp -s first out || fail "$(diff first out | head -n 4)"
  score "one || ' ' || two AS fires" duel.replay
  says out "2.0 1.0"
  score "one || ' ' || two AS fires" keys # devices only: the new bindings apply
  says out "0.0 0.0"
}
it "a recording of a game with players replays to the same hashes with different key bindings" replays_with_other_bindings

rolls_back() {
  make_game
  press 60 "5-9:$space 12:$space 7-11:$f 20-24:$left 22-27:$d 41:$f"
  run_for 30 "$release" run duel --headless --no-watch --replay keys --check-rollback 8 --ticks 60
  exits 0
}
it "ticks with several players give the same hashes when they are re-simulated" rolls_back

# Random numbers drawn in one system, in Lua or in native code, do not change the numbers drawn in a different system.
draws_from_streams() { # draws_from_streams MULTIPLAYER: writes the numbers that `second` drew to rolled.3 and rolled.40
  rm -rf dice
  mkdir -p dice/systems
  echo "return { title = \"Dice\", $1 }" >dice/game.lua
  echo 'return { die = { v = 0.0 }, rolled = shoal.types.single { v = 0.0 } }' >dice/components.lua
  echo 'return { die = { components = { die = {} } } }' >dice/assemblages.lua
  echo "return { query = { 'die' }, update = function(q)
    for i = 1, q.count do q.die.v[i] = world.random() end end }" >dice/systems/first.lua
  echo 'return { after = "first", update = function() world.single.rolled.v = world.random() end }' \
    >dice/systems/second.lua
  for count in 3 40; do
    for native in on off; do
      run_for 30 "$release" run dice --headless --no-watch --seed 7 --ticks 9 --hash --native $native \
        --exec "for i = 1, $count do world.spawn('die') end" --check-rollback 4
      exits 0
      cp out "hash.$count.$native"
    done
    cmp -s "hash.$count.on" "hash.$count.off" || fail "native code draws other numbers"
    run_for 30 "$release" sql dice "SELECT v FROM rolled" --seed 7 --ticks 9 \
      --exec "for i = 1, $count do world.spawn('die') end"
    cp out "rolled.$count"
  done
}
has_streams() {
  draws_from_streams 'multiplayer = { players = { 2, 2 } }'
  cmp -s rolled.3 rolled.40 || fail "the number of draws of one system changes another: $(cat rolled.3 rolled.40)"
  draws_from_streams ''
  ! cmp -s rolled.3 rolled.40 || fail "a game without players uses streams"
}
it "each system of a game with players has its own stream of random numbers" has_streams

# rejects TEXT LUA: a game whose game.lua contains LUA must not start, with the error TEXT.
rejects() {
  mkdir -p bad
  printf 'return { title = "Bad",\n  %s }\n' "$2" >bad/game.lua
  run_for 30 "$release" run bad --headless --no-watch --ticks 1
  [ "$status" != 0 ] || fail "the game started"
  says err "game.lua:2: $1"
}
it "multiplayer in game.lua must be a table" rejects "multiplayer must be a table, got 4" 'multiplayer = 4'
it "multiplayer.players requires a minimum and a maximum" rejects \
  "multiplayer.players must be the minimum and the maximum number of players, got a table of 1 values" \
  'multiplayer = { players = { 2 } }'
it "multiplayer without the field players is an error" rejects "multiplayer.players must be the minimum" 'multiplayer = {}'
it "the minimum number of players must not exceed the maximum" \
  rejects "multiplayer.players must begin with the minimum, got { 3, 2 }" \
  'multiplayer = { players = { 3, 2 } }'
it "a game can have at most 8 players" rejects "multiplayer.players must be two integers from 1 to 8, got 9" \
  'multiplayer = { players = { 2, 9 } }'
it "a game must have at least one player" rejects "multiplayer.players must be two integers from 1 to 8, got 0" \
  'multiplayer = { players = { 0, 2 } }'
it "numbers of players must be integers" rejects "multiplayer.players must be two integers from 1 to 8, got 1.5" \
  'multiplayer = { players = { 1.5, 2 } }'
it "numbers of players must not be strings" rejects "multiplayer.players must be two integers from 1 to 8, got text" \
  'multiplayer = { players = { "2", 2 } }'
it "an unknown field of multiplayer.players is an error" rejects "multiplayer.players has no field min" \
  'multiplayer = { players = { 1, 2, min = 1 } }'
it "an unknown field of multiplayer is an error that suggests the nearest name" rejects "multiplayer has no field playrs (did you mean players?)" \
  'multiplayer = { playrs = { 1, 2 } }'

rejects_numbers() {
  make_game
  run_for 30 "$release" run duel --headless --no-watch --ticks 1 --players 5
  [ "$status" != 0 ] || fail "the game started with 5 players"
  says err "--players 5 is out of range: the game has 2 to 4 players"
  run_for 30 "$release" run duel --headless --no-watch --ticks 1 --players 9
  says err "--players"
  make_game_without_players
  run_for 30 "$release" run duel --headless --no-watch --ticks 1 --players 2
  says err "--players 2: the game declares no players: add multiplayer = { players = { 2, 8 } } to game.lua"
  sed -i 's/for number = 1, 4/for number = 1, 5/' duel/systems/play.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 1
  says err "the player must be a number from 1 to 4"
  make_game
  sed -i 's/for number = 1, 4/for number = 1, 5/' duel/systems/play.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 1
  says err "the player must be a number from 1 to 4"
}
it "a value of --players or a player number that is out of range is an error" rejects_numbers

needs_players() {
  make_game_without_players
  for call in 'players.list()' 'players.set_local(1)' 'input.mouse(1)' 'print(input.mouse[1].dx)'; do
    run_for 30 "$release" run duel --headless --no-watch --ticks 1 --exec "$call"
    says err "multiplayer = { players = { 2, 8 } }"
  done
}
it "player functions require a game that declares players" needs_players

names_pointer() {
  make_game
  echo 'return { update = function() input["mou" .. "se"](1) end }' >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  says err "systems/rule.lua:1: input.mouse(player): the machines do not send the pointers, because no file of the game"
  echo 'return { update = function() print(input["mou" .. "se"][1].dx) end }' >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  says err "systems/rule.lua:1: input.mouse[player].dx: the machines do not send the pointers, because no file of the"
  echo 'return { update = function() return input.mouse(1) end }' >duel/systems/aim.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2 --strict
  exits 0
}
it "reading a player's pointer is an error unless a file of the game contains the name mouse" names_pointer

# misreads EXPRESSION MESSAGE: a system that evaluates EXPRESSION must be parked with MESSAGE.
misreads() {
  make_game
  printf 'return { update = function()\n  print(%s)\nend }\n' "$1" >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  says err "systems/rule.lua:2: $2"
}
misreads_movements() {
  misreads 'input.mouse[5].dx' "the player must be a number from 1 to 4"
  misreads 'input.mouse[0 / 0].dx' "the player must be a number from 1 to 4"
  misreads 'input.mouse[2].dz' "input.mouse[2] has no dz (did you mean dx?); available: dx, dy"
  misreads 'input.mouse.dx' 'input.mouse cannot be called in phase "update" of a game with players: use input.mouse'
  misreads '(function() input.mouse[2].dx = 1 end)()' "input.mouse[2].dx cannot be assigned: it is the mouse's state"
}
it "an invalid read of a player's mouse movement is an error that names the valid players or fields" misreads_movements

has_many_actions() {
  make_game
  { echo 'return {'; for i in $(seq 10 74); do echo "a$i = \"key:space\","; done; echo '}'; } >duel/input.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 1
  says err "input.lua:66: a game with players can have at most 64 actions, got 65: remove a74"
}
it "a game with players can have at most 64 actions" has_many_actions

# --- rules for the simulation

# refuses CODE MESSAGE: a system that runs CODE must be parked with MESSAGE; a render system may run CODE.
refuses() {
  make_game
  mkdir -p duel/strings
  echo 'return { start = "Start" }' >duel/strings/en.lua
  printf 'return { update = function()\n  %s\nend }\n' "$1" >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  says err "systems/rule.lua:2: $2"
  printf 'return { phase = "render", update = function()\n  %s\nend }\n' "$1" >duel/systems/rule.lua
  SDL_VIDEODRIVER=offscreen run_for 30 "$release" run duel --no-watch --ticks 2 --strict --no-cockpit
  ! grep -q "rule.lua" err || fail "a render system cannot call it: $(cat err)"
}

# write_rules PHASE [match]: writes the game `duel` with a system that calls all refused functions and prints their
# errors, and the file `expected` with these errors.
write_rules() {
  make_game
  sed -i 's/{ 2, 4 }/{ 1, 4 }/' duel/game.lua
  mkdir -p duel/strings
  echo 'return { start = "Start" }' >duel/strings/en.lua
  luajit "$root/tests/scenarios/lib/player_rules.lua" "$root" duel/systems/rule.lua "$@" >expected ||
    fail "no system was written"
}
has_expected_errors() {
  grep 'cannot be called' out >errors
  diff expected errors || fail "the functions above raise other errors"
}
refuses_functions_of_machines() {
  write_rules update
  run_for 30 "$release" run duel --headless --no-watch --ticks 1
  exits 0
  has_expected_errors
  write_rules render
  SDL_VIDEODRIVER=offscreen run_for 30 "$release" run duel --no-watch --ticks 1 --strict --no-cockpit
  exits 0
  [ "$(grep -c '^nil$' out)" -ge "$(wc -l <expected)" ] || fail "a call in a render system has an error: $(cat out)"
  ! grep -q "cannot be called" out err || fail "a render system cannot call: $(grep 'cannot be called' out err)"
}
it "systems of a game with players cannot call functions whose results differ between machines" \
  refuses_functions_of_machines
refuses_functions_of_matches() {
  write_rules update match
  [ "$(grep -c 'of a match' expected)" -gt 15 ] || fail "too few functions"
  run_for 30 "$release" run duel --host --port 0 --players 1 --headless --no-watch --ticks 1
  exits 0
  has_expected_errors
}
it "systems in a match cannot call functions that affect a single machine or the match's time" refuses_functions_of_matches
it "players.me can be called only in render systems" refuses 'players.me()' \
  'players.me can be called only in systems in phase "render"'

refuses_device_events() {
  make_game
  for event in key_pressed pad_released mouse_wheel pad_connected fullscreen_changed; do
    printf 'return {\n  on = { %s = function() end } }\n' "$event" >duel/systems/rule.lua
    run_for 30 "$release" run duel --headless --no-watch --ticks 2
    says err "systems/rule.lua:2: $event occurs on a single machine, so a game with players cannot handle it: "
  done
}
it "a game with players cannot handle device events" refuses_device_events

warns_once() {
  make_game
  printf 'return { update = function()\n  local a = 1\n  if input.down("fire") then a = input.axis("move") end\nend }\n' \
    >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  exits 0
  says err "systems/rule.lua:3: input.down without a player's number combines the input of all players: pass the number"
  [ "$(grep -c "without a player's number" err)" = 1 ] || fail "more than one warning: $(cat err)"
  make_game_without_players
  printf 'return { update = function() return input.down("fire") end }\n' >duel/systems/rule.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  ! grep -q "without a player's number" err || fail "a game without players is warned"
}
it "in a game with players, reading an action without a player number warns once" warns_once

# --- settings and bindings of the machine

hash_after() { # hash_after LUA: prints the hash of `duel` after LUA has run
  rm -rf data
  run_for 30 "$release" run duel --headless --no-watch --ticks 5 --hash --exec "$1"
  exits 0
  grep '^tick 5 ' out
}

belongs_to_the_machine() {
  make_game
  echo 'return { best = 0 }' >duel/settings.lua
  unchanged=$(hash_after 'settings.best = 0')
  for change in 'settings.master = 0.25' 'settings.fullscreen = true' 'input.bind("fire", "key:k")'; do
    [ "$(hash_after "$change")" = "$unchanged" ] || fail "$change changes the hash"
  done
  [ "$(hash_after 'settings.best = 3')" != "$unchanged" ] || fail "the game's own setting does not change the hash"
  make_game_without_players
  echo 'return { best = 0 }' >duel/settings.lua
  unchanged=$(hash_after 'settings.best = 0')
  for change in 'settings.master = 0.25' 'input.bind("fire", "key:k")'; do
    [ "$(hash_after "$change")" != "$unchanged" ] || fail "without players, $change does not change the hash"
  done
}
it "in a game with players, the machine's settings and bindings are not in the world's hash" belongs_to_the_machine

is_kept_by_a_restore() {
  make_game
  echo 'return { best = 0 }' >duel/settings.lua
  run_for 30 "$release" sql duel "SELECT 'volume ' || master || ' best ' || best AS kept FROM settings" --ticks 3 --exec \
    'local s = world.snapshot() settings.master = 0.25 settings.best = 7 input.bind("fire", "key:k") world.restore(s)'
  exits 0 out "volume 0.25 best 0"
}
it "in a game with players, world.restore keeps the machine's settings and restores the game's settings" is_kept_by_a_restore

chosen_bindings_are_saved() {
  make_game
  press 40 "5-9:14" # k
  run_for 30 "$release" run duel --headless --no-watch --ticks 5 --exec 'input.bind("fire", "key:k")'
  exits 0
  run_for 30 "$release" run duel --headless --no-watch --ticks 5 --exec 'print(unpack(input.bindings("fire")))'
  says out "key:k	pad:a"
  run_for 30 "$release" run duel --headless --no-watch --ticks 5 --exec 'print(unpack(input.reset() or input.bindings("fire")))'
  says out "key:space	key2:f	pad:a"
}
it "bindings chosen with input.bind are stored in the machine's settings file" chosen_bindings_are_saved

it "systems of a game with players cannot read a machine setting" refuses \
  'local volume = settings.master' 'settings.master differs between machines'

it "systems of a game with players cannot read a widget's hover state" refuses \
  'for e in world.each("widget") do local w = e.widget if w.hovered then print(1) end end' \
  'widget.hovered differs between machines'
it "systems of a game with players cannot read a panel's scroll offset" refuses \
  'for e in world.each("panel") do print(e.panel.scroll) end' 'panel.scroll differs between machines'
it "systems of a game with players cannot read the focused widget" refuses \
  'print(world.focus())' 'world.focus cannot be called in'

bad_player_of_a_widget() {
  make_game
  echo 'return { menu = { components = { widget = { player = 9 }, panel = {} } } }' >duel/assemblages.lua
  run_for 30 "$release" run duel --headless --no-watch --ticks 2
  says err 'assemblages.lua:1: widget.player must be from 0 to 8, got 9'
}
it "a widget's player must be from 0 to 8" bad_player_of_a_widget

# Player 1 uses a menu with the keyboard: the replay needs neither the layout nor the devices.
replays_menus_with_another_layout() {
  make_game
  echo 'return { ready = { player = 0 } }' >duel/events.lua
  echo 'return { menu = { components = { panel = {} }, children = {
    { button = { text = "Ready", emits = "ready" } }, { slider = { step = 0.25 } } } } }' >duel/assemblages.lua
  cat >duel/systems/menu.lua <<'END'
return {
  phase = "input",
  on = {
    player_joined = function(ev)
      for i = 1, ev.count do world.spawn("menu", { widget = { player = ev.player[i] } }) end
    end,
    ready = function(ev) world.single.score.one = world.single.score.one + 100 * ev.player[1] end,
    changed = function(ev) world.single.score.y = ev.value[1] end,
  },
}
END
  press 40 "5-6:$enter 12-13:81 20-21:79"
  run_for 30 "$release" run duel --headless --no-watch --replay keys --record menus.replay --hash every=5
  exits 0
  cp out first
  echo 'return { size = 41, padding = 3 }' >duel/theme.lua
  sed -i 's/width = 320, height = 180/width = 700, height = 900/' duel/game.lua
  run_for 30 "$release" run duel --headless --no-watch --replay menus.replay --hash every=5
  exits 0
  cmp -s first out || fail "$(diff first out | head -n 4)"
  score "one || ' ' || y AS used" menus.replay
  says out "100.0 0.25"
  run_for 30 "$release" run duel --headless --no-watch --replay menus.replay --check-rollback 8
  exits 0
}
it "a recording of menu input replays to the same hashes with a different text and window size" replays_menus_with_another_layout

# Player 1 presses S (down) and player 2 the up key; both cycles of Tron turn, in the live run and in the replay.
tron_for_two() {
  rm -rf game data
  cp -r "$root/scripts/games/tron" game
  cat >game/systems/zz_stage.lua <<'END'
return {
  phase = "input",
  update = function()
    if world.tick == 20 then world.emit("two_players") end
    if world.tick == 200 then
      for e in world.each("cycle") do print("cycle", e.cycle.player, e.cycle.dir) end
    end
  end,
}
END
  luajit "$root/tests/scenarios/lib/random_input.lua" keys 210 1 Trace "170-180:22 170-180:82" || fail "no keys"
  run_for 60 "$release" run game --headless --no-watch --strict --ticks 210 --replay keys --record tron.replay --hash
  exits 0
  sort out >first
  says first "cycle	1	2"
  says first "cycle	2	4"
  sed -i 's/"key:s", /"key:x", /; s/"key2:up", /"key2:x", /' game/input.lua
  run_for 60 "$release" run game --headless --no-watch --strict --replay tron.replay --hash
  exits 0
  sort out | cmp -s - first || fail "the replay differs: $(cat out)"
}
it "two players can steer in Tron with one keyboard" tron_for_two

# --- Asteroids with several players

# asteroids TICKS LUA: plays Asteroids without rocks from tick 20 on; LUA runs in each tick, with the functions
# `strike(player)` and `report()`, which prints the tick, the phase, the players with a ship, and the reserve ships.
asteroids() {
  rm -rf game data
  cp -r "$root/scripts/games/asteroids" game
  cat >game/systems/zz_stage.lua <<END
local function strike(player)
  for e in world.each("ship", "intent") do
    if e.ship.player == player then e:add("struck", {}) end
  end
end
local function report()
  local ships = {}
  for e in world.each("ship", "intent") do ships[#ships + 1] = e.ship.player end
  table.sort(ships)
  print(world.tick .. " " .. world.single.game.phase .. " ships " .. table.concat(ships, " ") .. " reserve "
    .. world.single.score.lives)
end
return { phase = "input", update = function()
  local tick = world.tick
  if tick == 20 then world.emit("play") end
  for e in world.each("rock") do e:destroy() end
  if world.single.game.phase ~= "title" then world.single.wave.wait = 9 end
  $2
end }
END
  run_for 60 "$release" run game --headless --no-watch --strict --ticks "$1"
  exits 0
}

crew_changes() {
  asteroids 100 '
    if tick == 5 then players.set_local(2) elseif tick == 50 then players.set_local(4)
    elseif tick == 60 then players.set_local(2) elseif tick == 70 then players.set_local(3) end
    if tick == 40 or tick == 55 or tick == 65 or tick == 75 then report() end'
  says out "40 playing ships 1 2 reserve 3" "55 playing ships 1 2 3 4 reserve 3"
  says out "65 playing ships 1 2 reserve 5" "75 playing ships 1 2 3 reserve 4"
}
it "Asteroids players get ships from the reserve when they join, and return them when they leave" crew_changes

leaves_as_a_wreck() {
  asteroids 110 '
    if tick == 5 then players.set_local(2) elseif tick == 50 then strike(2) world.single.score.lives = 0
    elseif tick == 60 then players.set_local(1) elseif tick == 70 then players.set_local(2)
    elseif tick == 90 then world.single.score.lives = 1 end
    if tick == 65 or tick == 80 or tick == 100 then report() end'
  says out "65 playing ships 1 reserve 0" "80 playing ships 1 reserve 0"
  says out "100 playing ships 1 2 reserve 0"
}
it "a player of Asteroids who joins again waits until a reserve ship is available" leaves_as_a_wreck

shares_lives() {
  asteroids 510 '
    if tick == 5 then players.set_local(3) elseif tick == 90 then strike(2)
    elseif tick == 300 then strike(1) strike(3) world.single.score.lives = 0 end
    if tick == 100 or tick == 290 or tick == 500 then report() end'
  says out "100 playing ships 1 3 reserve 4" "290 playing ships 1 2 3 reserve 3"
  says out "500 playing ships 2 reserve 0"
  asteroids 310 'if tick == 5 then players.set_local(2) end
    if tick == 100 then world.single.score.lives = 0 strike(1) strike(2) end if tick == 300 then report() end'
  says out "300 over ships  reserve 0"
}
it "a game of Asteroids ends when no player has a ship and the shared reserve is empty" shares_lives

plays_alone() {
  asteroids 510 '
    for e in world.each("ship", "transform") do
      if tick == 40 then print("at", e.transform.x, e.transform.y, e.shape.points) end
    end
    if tick == 90 or tick == 320 then strike(1) end
    if tick == 40 or tick == 100 or tick == 300 or tick == 505 then report() end'
  says out "at	640	360	21,0 -16,-14 -9,0 -16,14" "40 playing ships 1 reserve 2"
  says out "100 playing ships  reserve 2" "300 playing ships 1 reserve 1"
  says out "505 playing ships 1 reserve 0"
}
it "a single Asteroids player has three ships, which start in the middle" plays_alone

counts_bullets() {
  asteroids 250 '
    if tick == 5 then players.set_local(2) end
    for e in world.each("intent", "controls") do e.intent.fire = true end
    if tick == 240 then
      local counts = { 0, 0 }
      for e in world.each("bullet") do counts[e.bullet.player] = counts[e.bullet.player] + 1 end
      print("bullets", counts[1], counts[2])
      report()
    end'
  says out "bullets	5	5" "240 playing ships 1 2 reserve 3"
}
it "each Asteroids player can have five bullets in flight" counts_bullets

# A run in which players press actions, join and leave at random is the same every time, even with re-simulated ticks.
random_players() { # random_players GAME TITLE PLAYERS
  [ -n "$LONG" ] && ticks=3000 again=3000 rolled=8 || ticks=900 again=400 rolled=1
  luajit "$root/tests/scenarios/lib/random_input.lua" keys "$ticks" 7 "$2" players || fail "no input"
  run_for 300 "$release" run "$root/scripts/games/$1" --headless --no-watch --strict --players "$3" --ticks "$ticks" \
    --replay keys --hash every=50
  exits 0
  grep '^tick ' out >first
  run_for 600 "$release" run "$root/scripts/games/$1" --headless --no-watch --strict --players "$3" --ticks "$again" \
    --replay keys --hash every=50 --workers 2 --check-rollback "$rolled"
  exits 0
  grep '^tick ' out >second
  [ "$(wc -l <second)" = $((again / 50)) ] || fail "the game did not run: $(cat err)"
  head -n $((again / 50)) first | cmp -s - second || fail "$(diff first second | head -n 4)"
}
it "an Asteroids game with random input of eight players is identical in every run" random_players asteroids Rockfall 8
it "a Bounty Hunter game with random input of four players is identical in every run" random_players bounty_hunter "Bounty Hunter" 4

# --- Bounty Hunter with several players

# posse TICKS LUA: plays Bounty Hunter from tick 20 on; LUA runs in each tick, with the functions `report()`, which
# prints the tick and the player of each stash (0: AI), and `finish_day()`, which ends a day.
posse() {
  rm -rf game data
  cp -r "$root/scripts/games/bounty_hunter" game
  cat >game/systems/zz_stage.lua <<END
local function report()
  local owners = {}
  for e in world.each("stash") do owners[e.stash.number] = e.stash.player end
  for e in world.each("hunter") do
    local stash = e.hunter.home.stash
    if (stash.player > 0) ~= (e:state() == "ridden") then owners[stash.number] = "wrong" end
  end
  for number = 1, 4 do owners[number] = owners[number] or "-" end
  print(world.tick .. " " .. world.single.match.phase .. " stashes " .. table.concat(owners, " "))
end
local function finish_day()
  world.single.match.left = 0
end
local function print_rule()
  for e in world.each("text", "lifetime") do
    if e:assemblage() == "banner" then print("rule", world.single.match.day, e.text.value) end
  end
end
return { phase = "input", update = function()
  local tick = world.tick
  if tick == 20 then world.emit("play") end
  $2
end }
END
  run_for 60 "$release" run game --headless --no-watch --strict --ticks "$1"
  exits 0
}

posse_changes() {
  posse 300 '
    if tick == 5 then players.set_local(2) elseif tick == 200 then players.set_local(4)
    elseif tick == 220 then players.set_local(1) elseif tick == 240 then players.set_local(3) end
    if tick == 195 or tick == 210 or tick == 230 or tick == 250 then report() end'
  says out "195 hunt stashes 1 2 0 0" "210 hunt stashes 1 2 3 4" "230 hunt stashes 1 0 0 0"
  says out "250 hunt stashes 1 2 3 0"
}
it "Bounty Hunter players take over AI hunters when they join, and AI takes over again when they leave" posse_changes

# With two players, the AI hunters leave town on the first two days.
posse_rules() {
  posse 1150 '
    if tick == 5 then players.set_local(2) end
    local match = world.single.match
    if match.phase == "hunt" and match.clock > 0.5 and match.left > 1 then
      for e in world.each("stash") do e.stash.gold = e.stash.player > 0 and 1 or 50 + e.stash.number end
      report()
      finish_day()
    end
    if match.phase == "ready" and match.clock > 1 and match.clock < 1.02 then print_rule() end'
  says out "rule	1	@rules.rivals" "rule	2	@rules.last_rival" "rule	3	@rules.last_two"
  [ "$(sed -n 's/.*hunt stashes //p' out | tr '\n' ,)" = "1 2 0 0,1 2 - 0,1 2 - -," ] || fail "$(cat out)"
  ! grep -q "Today" out || fail "a text for one player: $(cat out)"
}
it "with several players, Bounty Hunter's days show the rules for several players" posse_rules

# In a match over a network, players join from their own machines. The title screen of a match lasts 0.1 s.
button_in_match() { # button_in_match GAME EVENT
  rm -rf game data
  cp -r "$root/scripts/games/$1" game
  cat >game/systems/zz_stage.lua <<'END'
return { phase = "update", update = function()
  for e in world.each("button", "widget") do
    if world.tick == 3 and e.button.emits == "more_players" then
      print("button", players.in_match(), e.widget.visible)
    end
  end
end }
END
  run_for 60 "$release" run game --headless --no-watch --strict --ticks 5
  exits 0 out "button	false	true"
  run_for 60 "$release" run game --headless --no-watch --host --port 0 --players 1 --ticks 5
  exits 0 out "button	true	false"
}
draw_texts() { # draw_texts OPTIONS…: Asteroids prints the strings that it draws
  SDL_VIDEODRIVER=offscreen run_for 60 "$release" run game --no-watch --strict --no-cockpit --ticks 12 "$@"
  exits 0
}
title_in_match() {
  rm -rf game data
  cp -r "$root/scripts/games/asteroids" game
  sed -i 's/^function M.draw(text.*/&\n  print("draws", text:upper())/' game/lib/strokes.lua
  draw_texts
  for text in PLAY "PLAYERS: 1" PAUSE P; do says out "draws	$text"; done
  sed -i 's/game.clock > 0.1 then/game.clock > 10 then/' game/systems/flow.lua # the title lasts longer in a match
  draw_texts --host --port 0 --players 1
  ! grep -E "^draws	(PLAY|ROCKFALL|PAUSE|P$)" out || fail "the title is drawn in a match"
}
focus_of_removed_button() { # the button gets the focus in the tick in which its scene ends
  rm -rf game data
  mkdir -p game/scenes game/systems
  echo 'return { title = "Scenes", multiplayer = { players = { 1, 4 } }, scene = "title" }' >game/game.lua
  echo 'return {
  menu = { components = { panel = {} }, children = { { button = { text = "Play", emits = "play" } } } },
  pot = { components = { transform = {} }, children = { bar = { bar = {}, ui_follow = {} } } },
}' >game/assemblages.lua
  echo 'return { play = {} }' >game/events.lua
  echo 'return { entities = { { assemblage = "pot" } } }' >game/scenes/arena.lua
  echo 'return { entities = { { assemblage = "menu" } } }' >game/scenes/title.lua
  echo 'return { phase = "input", on = { play = function() world.scene("arena") end } }' >game/systems/flow.lua
  run_for 60 "$release" run game --headless --no-watch --ticks 60 --temporary-saves --exec "world.emit('play', {})"
  exits 0
  expect_one_line err # the title and the seed
}
it "a button that gets the focus in the tick in which its scene ends causes no warning" focus_of_removed_button

it "the title screen of Asteroids is not drawn in a match, because the lobby replaces it" title_in_match
it "the number of players cannot be chosen in a match of Bounty Hunter" button_in_match bounty_hunter
