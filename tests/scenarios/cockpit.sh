# The cockpit's protocol: authentication, queries, subscriptions, changes, and robustness against misbehaving clients.
# The client is lib/cockpit.lua.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
mkdir -p bees/systems
cat >bees/game.lua <<'END2'
return { title = "bees", start = function()
  for i = 1, 5 do world.spawn("bee", { health = { hp = i * 10000 } }) end
end }
END2
cat >bees/components.lua <<'END2'
local t = shoal.types
return {
  health = { hp = t.i32(1, { max = 1000000000 }) },
  tags = { text = "" },
  weather = t.single { kind = t.enum { "sun", "rain" } },
}
END2
echo 'return { bee = { components = { health = {}, transform = {}, tags = {} } } }' >bees/assemblages.lua
cat >bees/systems/hunger.lua <<'END2'
return { query = { "health" }, each = function(e) e.health.hp = e.health.hp - 1 end }
END2

echo 'return { sting = { hurts = 1.5 } }' >bees/events.lua
mkdir -p bees/assets
printf 'dot' >bees/assets/dot.png
echo '<script>parent.stolen = document.URL</script>' | tee bees/assets/page.html >bees/assets/picture.svg
echo 'globalThis.stolen = location.href' >bees/assets/code.js

# A plugin that slows the game down; without it a headless game would use a whole core while the checks run.
compile_once "$tmp/pace.so" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O0 -fPIC -shared -I"$root/engine/include" \
  "$root/tests/scenarios/plugins/pace.c" || exit 1

start_game() { launch_cockpit "$@" --plugin "$tmp/pace.so"; } # start_game PROGRAM [OPTIONS]: sets $port
check_game() { # check_game CHECK [OPTIONS]
  checked=$1
  shift
  start_game "$release" run bees --headless "$@"
  check_cockpit "$checked"
  stop_program
  [ ! -e "$XDG_RUNTIME_DIR/shoal/$port" ] || fail "$XDG_RUNTIME_DIR/shoal/$port still exists after the game has exited"
}

it "a connection without the token or from a different origin is rejected with a reason" check_game unauthorized
it "an invalid request is answered with an error message" check_game mistakes
it "a client that sends a message of 100 MB is disconnected" check_game large
it "a thousand connections, half of them with incomplete requests, do not block a new client" check_game many
it "a new client is served while 60 connections have sent only part of a request" check_game half_open
it "a client that never reads its responses does not delay other clients" check_game slow_reader
it "at most sixteen clients can be connected, and a new client can replace one that has left" check_game sockets
it "a subscription sends only changed values, and only when they change" check_game follows
it "a read-only cockpit rejects requests that change the world" check_game read_only --cockpit-read-only

# A match over a network. Its ticks follow the clock, so the plugin that slows games down is not needed.
match() { # match CHECK [OPTIONS]
  rm -rf duel
  mkdir -p duel/systems
  echo 'return { title = "Duel", multiplayer = { players = { 2, 4 } } }' >duel/game.lua
  echo 'return { move = { negative = { "key:a" }, positive = { "key:d" } } }' >duel/input.lua
  cat >duel/cockpit.lua <<'END2'
shoal.cockpit { title = "Players", draw = function(panel)
  for _, player in ipairs(players.list()) do
    local c = player.colour
    panel:value(tostring(player.number),
      ("%s #%02x%02x%02x"):format(player.name, c.r * 255 + 0.5, c.g * 255 + 0.5, c.b * 255 + 0.5))
  end
end }
END2
  checked=$1
  shift
  launch_cockpit "$release" run duel --headless --no-watch "$@"
  check_cockpit "$checked"
  stop_program
}
it "a client can watch a match and change its simulated network" match match --net-sim 60ms,20ms,0%
it "a read-only cockpit cannot change the simulated network" match match_read_only --net-sim 60ms,20ms,0% \
  --cockpit-read-only
it "requests that would change a match or its real network are refused" match match_without_network --host --port 0
it "the cockpit of a game without a match reports how to start a match" check_game no_match

it "requests for entities that are being destroyed are all answered" check_game dying
it "a client can query the frame profile, memory use and events" check_game profile
reloaded_frames() {
  rm -rf hives
  cp -r bees hives
  start_game "$release" run hives --headless --no-watch
  check_cockpit reloaded_frames hives/systems/aging.lua
  stop_program
}
it "the frame profile has the correct system names after a reload that adds a system" reloaded_frames
thumbnails() {
  rm -rf looks
  cp -r bees looks
  echo 'return {
    bee = { components = { sprite = { image = "dot.png", frames = 4, frame = 3 } } },
    hive = { children = { roof = { components = { shape = { kind = "rect", colour = { 1, 0.5, 0 } } } } } },
    wind = { components = { transform = {} } },
  }' >looks/assemblages.lua
  sed -i "s/{ health = { hp = i [^}]*} }/{}/" looks/game.lua
  start_game "$release" run looks --headless
  check_cockpit thumbnails
  stop_program
}
it "the schema contains the sprite or shape that a thumbnail of an assemblage shows" thumbnails
it "a client can query the row counts of systems and the list of textures" check_game rows
it "the console returns Lua tables as trees" check_game console
it "a client can read source files and assets, and open them in an editor" check_game loaded --editor "true %f %l"
addons() {
  rm -rf lit glow foes
  cp -r bees lit
  mkdir -p glow foes/assets foes/systems
  echo 'return { name = "glow", version = "1.0.0" }' >glow/addon.lua
  echo 'return { spark = { n = 1 } }' >glow/components.lua
  echo 'return { name = "foes", version = "2.1" }' >foes/addon.lua
  echo 'return { update = function() end }' >foes/systems/bite.lua
  : >foes/assets/tooth.png
  sed -i 's|title = "bees"|title = "lit", addons = { { "../foes", as = "enemies" } }|' lit/game.lua
  "$release" add glow --to lit >out 2>&1 || fail "$(cat out)"
  start_game "$release" run lit --headless --no-watch --editor "true %f %l"
  check_cockpit addons "$tmp" false
  echo 'return { spark = { n = 2 } }' >lit/addons/glow/components.lua
  check_cockpit addons "$tmp" true
  stop_program
}
it "a client can list add-ons, read their files, and open the files in an editor" addons
it "a data breakpoint pauses the game and reports the row" check_game breakpoints

tiles() {
  start_game "$release" run "$root/scripts/examples/levels" --headless
  check_cockpit tiles
  stop_program
}
it "a request for a tile map returns its tiles, including tiles that the game has changed" tiles

query_cost() {
  start_game "$release" run bees --headless
  check_cockpit figures "$1"
  stop_program
}
for many in ${LONG:+10000} 100000; do
  it "lists and searches of $many entities stay within the CPU time budget" query_cost $many
done

token_permissions() {
  start_game "$release" run bees --headless
  [ "$(stat -c %a "$XDG_RUNTIME_DIR/shoal/$port")" = 600 ] ||
    fail "the token file must have mode 600: $(ls -l "$XDG_RUNTIME_DIR/shoal")"
  stop_program
}
it "the file with the access token is readable only by its owner" token_permissions

pairs() {
  mkdir -p fruit
  cat >fruit/game.lua <<'END2'
return { title = "Fruit", start = function()
  local ann = world.spawn(nil, { name = "ann", transform = { x = 40, orphan = true } })
  local bob = world.spawn(nil, { name = "bob", transform = {} })
  local apples, pears = world.spawn(nil, { name = "apples" }), world.spawn(nil, { name = "pears" })
  ann:add("likes", apples, { strength = 3 }):add("likes", pears)
  bob:add("likes", apples)
  local dog = world.spawn(nil, { name = "dog", transform = { parent = bob, x = 3 }, aims = { at = ann, past = apples } })
  world.spawn(nil, { name = "flea", follows = { target = dog } })
  world.spawn(nil, { name = "hat", transform = { parent = ann, x = 2 } })
  world.spawn(nil, { name = "cat", aims = { at = dog, past = dog } })
  world.single.chosen.who = ann
end }
END2
  cat >fruit/components.lua <<'END2'
local t = shoal.types
return {
  likes = t.relation { strength = 1 },
  follows = t.relation({}, { many = false, cascade = "destroy" }),
  aims = { at = t.entity { cascade = "clear" }, past = t.entity },
  chosen = t.single { who = t.entity },
}
END2
  start_game "$release" run fruit --headless --record fruit.replay
  check_cockpit pairs
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  run_for 20 "$release" run fruit --headless --plugin "$tmp/pace.so" --replay fruit.replay
  exits 0
}
it "changes to relation pairs can be undone, and a replay repeats both the changes and the undo" pairs

recorded() { # recorded CHECK [OPTIONS]
  checked=$1
  shift
  start_game "$release" run bees --headless --record bees.replay "$@"
  check_cockpit "$checked"
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  run_for 20 "$release" run bees --headless --plugin "$tmp/pace.so" --replay bees.replay
  exits 0
}
it "a client can query past and predicted values of an expression" recorded over_time --history 16
it "a client can compare two ticks and two timelines" recorded compare --history 16
it "changes made in the cockpit are part of the recording" recorded edits
it "rewinds and changes of the past in the cockpit are part of the recording" recorded past --history 16

# edit_wasps CHECK: runs the check on the game `bees` with more kinds of values: values from a tuning table,
# expressions, a local table, and a value in a file that a symbolic link points to. A link leads out of the game's folder.
edit_wasps() {
  cp -r bees kept_bees
  mkdir -p bees/scenes
  echo 'return { entities = {} }' >bees/scenes/yard.lua
  cat >bees/components.lua <<'END2'
local t = shoal.types
return {
  health = { hp = t.i32(1, { max = 90000 }) }, -- how well they are
  tags = { text = "" },
  weather = t.single { kind = t.enum { "sun", "rain" }, wind = t.f32 },
  sting = { poison = 1 },
  flight = { speed = t.f32(1), height = 1 },
  eye = { aim = t.vec2, prey = t.entity },
  look = { size = 1, colors = { r = 0.5, g = 0.25 } },
  bag = { items = t.list(t.u32, 4), names = t.list(t.string, 2), near = t.list(t.entity, 3) },
}
END2
  cat >bees/tuning.lua <<'END2'
return {
  wasp_speed = 1.5,
}
END2
  cat >bees/assemblages.lua <<'END2'
local tuning = require "tuning"
local hornets = require "hornets"
local eye = { --[[ where
      they look ]]
      aim = { 1, 2 },
}
return {
  bee = { components = { health = {}, transform = {}, tags = {} } },
  wasp = {
    children = { wing = { components = { transform = { x = 2 } } } },
    components = {
      health = { hp = 20 }, -- more than a bee
      transform = {}, sting = {}, eye = eye,
      flight = { speed = tuning.wasp_speed, height = 10 * 2 },
    },
  },
    queen = { is = "wasp", components = { sting = { poison = 3 } } },
  hornet = hornets.hornet,
  moth = { components = { body = { mask = "wasp" } } },
  gnat = { components = { body = { mask = { "bee", "wasp" } } } },
  fly = { components = { look = { colors = { g = 0.75 } } } },
  ant = { components = { bag = { items = { 1, 2 } } } },
}
END2
  long=$(printf '%0300d' 0 | sed 's/0/é/g') # a line so long that only a part of it is shown
  echo "return { --[[ $long ]] hornet = { components = { health = { hp = 40 } } }, --[[ $long ]] }" >elsewhere.lua
  mkdir bees/kept
  mv elsewhere.lua bees/kept/hornets.txt
  ln -s kept/hornets.txt bees/hornets.lua
  mkdir -p outside
  ln -s ../outside bees/outside
  echo 'return { title = "bees", layers = { "bee", "wasp" }, start = function() world.spawn("wasp") world.spawn("wasp") world.spawn("queen")
    world.spawn("bee") world.spawn("hornet") world.spawn("moth") world.spawn("fly") world.spawn("gnat") world.spawn("ant") end }' >bees/game.lua
  start_game "$release" run bees --headless
  check_cockpit "$1"
  wait_for 20 has_exited "$program" || fail "the game does not exit"
  stop_program
  rm -rf made
  mv bees made
  mv kept_bees bees
}
makes() {
  edit_wasps makes
  [ "$(tr -d ' \n' <made/scenes/hill.json)" = \
    '{"format":1,"entities":[{"assemblage":"bee","components":{"transform":{"x":1,"y":2}}}]}' ] ||
    fail "unexpected scene: $(cat made/scenes/hill.json)"
}
it "overrides can be reset, destroyed entities restored, and placed entities saved as a scene" makes
writes() {
  edit_wasps writes
  diff kept made/assemblages.lua >out
  [ "$(cat out)" = \
    "$(printf '12c12\n<       health = { hp = 20 }, -- more than a bee\n---\n>       health = { hp = 21 }, -- more than a bee')" ] ||
    fail "unexpected change: $(cat out)"
  [ "$(stat -c %a made/assemblages.lua)" = 640 ] || fail "the file's permissions changed"
}
it "a value that is written back changes only its literal in the source file" writes
map_objects() {
  start_game "$release" run "$root/scripts/examples/levels" --headless
  check_cockpit map_objects
  stop_program
}
it "write-back of a Tiled object's position is refused with the name of the map" map_objects

same_hash() {
  start_game "$release" play asteroids --headless --seed 5
  check_cockpit "$1" >cockpit_hash
  stop_program
  at=$(sed 's/tick \([0-9]*\) .*/\1/' cockpit_hash)
  run_for 60 "$release" play asteroids --headless --plugin "$tmp/pace.so" --seed 5 --ticks "$at" --hash
  exits 0
  [ "$(cat cockpit_hash)" = "$(cat out)" ] || fail "with the cockpit: $(cat cockpit_hash); without: $(cat out)"
}
it "a connected cockpit does not change the game's hashes" same_hash reads
it "malformed connections do not change the game's hashes" same_hash malformed

ask_and_attach() {
  start_game "$release" run bees --headless
  run_for 20 "$release" ask "$port" "SELECT count(*) AS n, 'é' AS word FROM health"
  exits 0
  [ "$(cat out)" = "$(printf 'n  word\n-  ----\n5  é')" ] || fail "unexpected output: $(cat out)"
  for text in a eight_by sixteen_letters_; do # strings that filled their buffer completely were not terminated
    run_for 20 "$release" ask "$port" "print('$text')"
    [ "$(grep -v '^nil' out)" = "$text" ] || fail "print('$text') gave: $(od -c out | head -n 4)"
  done
  run_for 20 "$release" ask "$port" "return world.count('bee') * 2"
  exits 0
  [ "$(cat out)" = 10 ] || fail "unexpected output: $(cat out)"
  numbers="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
  run_for 20 "$release" ask "$port" "$numbers 6000) SELECT i FROM n"
  [ "$(wc -l <out)" = 5002 ] || fail "expected 5000 rows: $(tail -n 1 out)"
  says err 'only the first 5000 rows are shown: use ask PORT --all'
  run_for 20 "$release" ask "$port" --all "$numbers 6000) SELECT i FROM n"
  exits 0
  [ "$(wc -l <out)" = 6002 ] && [ ! -s err ] || fail "expected 6000 rows: $(tail -n 1 out) $(cat err)"
  run_for 20 "$release" ask --all "$port" "SELECT 7 AS x"
  [ "$(cat out)" = "$(printf 'x\n-\n7')" ] || fail "unexpected output: $(cat out)"
  run_for 20 "$release" ask "$port" --all "$numbers 200) SELECT hex(zeroblob(50000)) FROM n"
  exits 1 err "the answer is too large (at most 16 MB): add LIMIT, or select fewer columns"
  run_for 20 "$release" ask "$port" "SELECT * FROM healt"
  exits 1
  says err "no such table: healt (SELECT table_name FROM components lists the component tables): did you mean health?"
  run_for 20 "$release" ask "$port" "spawn bee"
  exits 0
  printf 'SELECT 1 AS one\n\nworld.count("bee")\nprint("buzz", 2) print("hum")\n' >lines
  timeout "$SLOW" "$release" attach "$port" <lines >out 2>err || fail "attach: $(cat err)"
  [ "$(cat out)" = "$(printf 'one\n---\n  1\n6\nbuzz\t2\nhum')" ] || fail "unexpected output: $(cat out)"
  stop_program
  run_for 20 "$release" ask "$port" "SELECT 1"
  exits 2 err "no game of this user has a cockpit on port $port"
}
it "./shoal ask and ./shoal attach query a running game" ask_and_attach

port_in_use() {
  start_game "$release" run bees --headless
  run_for 20 "$release" run bees --headless --ticks 1 --cockpit "$port"
  exits 2 err "is in use: choose a different port with --cockpit PORT"
  stop_program
}
it "the error for a port that is in use suggests a different port with --cockpit" port_in_use

# The requested port may be in use, so the test tries several ports.
requested_port() {
  for port in 25117 26229 27341 28453 29565; do
    rm -rf "$XDG_RUNTIME_DIR/shoal"
    launch "$release" run bees --headless --plugin "$tmp/pace.so" --cockpit "$port"
    wait_for 20 has_cockpit_or_exited || fail "no cockpit: $(tail -n 5 "$log")"
    ! has_cockpit || break
    log_has "port $port is in use" || fail "no cockpit: $(tail -n 5 "$log")"
    stop_program
  done
  [ "$(ls "$XDG_RUNTIME_DIR/shoal")" = "$port" ] || fail "expected port $port, got: $(ls "$XDG_RUNTIME_DIR/shoal")"
  run_for 20 "$release" ask "$port" "SELECT count(*) FROM health"
  exits 0
  stop_program
}
it "--cockpit PORT serves the cockpit on this port" requested_port

several_games() {
  rm -rf "$XDG_RUNTIME_DIR/shoal"
  games=
  for i in 1 2 3 4 5 6; do
    "$release" run bees --headless --plugin "$tmp/pace.so" --cockpit >"game$i" 2>&1 </dev/null &
    games="$games $!"
  done
  # shellcheck disable=SC2086
  { wait_for 20 have_cockpits 6 || failed="six games have the cockpits: $(ls "$XDG_RUNTIME_DIR/shoal"), $(cat game*)"
    kill $games
    wait $games; }
  [ -z "${failed-}" ] || fail "$failed"
}
have_cockpits() { [ "$(find "$XDG_RUNTIME_DIR/shoal" -type f 2>/dev/null | wc -l)" = "$1" ]; }
it "games that start at the same time have cockpits on different ports" several_games

reports_usage() { # reports_usage TEXT ARGUMENTS…: the error must contain TEXT
  text=$1
  shift
  run_for 20 "$release" "$@"
  exits 2
  expect_one_line err
  says err "$text"
}
it "./shoal ask without a query prints its usage" reports_usage 'ask PORT [--all] "SELECT …"' ask 7700
it "./shoal attach without a port prints its usage" reports_usage "attach PORT" attach
it "a cockpit port below 1024 is an error" reports_usage "the port must be an integer from 1024" run bees --headless \
  --cockpit 80
headless_default() {
  run_for 20 "$release" run bees --headless --ticks 3
  exits 0
  ! grep -q cockpit err || fail "a cockpit without --cockpit: $(cat err)"
}
it "a headless run starts a cockpit only with --cockpit" headless_default

fuzzed() {
  start_game "$sanitized" run bees --headless --budget 0
  check_cockpit fuzz "$1" "${SEED:-1}"
  stop_program
  ! grep -q "ERROR: \|runtime error" "$log" || fail "$(grep -A 12 "ERROR: \|runtime error" "$log")"
}
it "fuzzed messages are all answered without a sanitizer error" fuzzed "$([ -n "$LONG" ] && echo 1000000 || echo 600)"
