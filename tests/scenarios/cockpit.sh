# The cockpit: who is let in, what is answered, followed and changed, and that a game takes no harm of anybody.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export XDG_RUNTIME_DIR="$tmp/run"
mkdir -p run bees/systems
cat >bees/game.lua <<'END2'
return { title = "bees", start = function()
  for i = 1, 5 do world.spawn("bee", { health = { hp = i * 10000 } }) end
end }
END2
cat >bees/components.lua <<'END2'
local t = shoal.types
return {
  health = { hp = t.i32(1) },
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

# Unpaced, a headless game would use a whole core for as long as it is looked at.
compile_once "$tmp/pace.so" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O0 -fPIC -shared -I"$root/engine/include" \
  "$root/tests/scenarios/plugins/pace.c" || exit 1

# The port is the game's own choice: it is what stands in the file of its link.
begins() { # begins PROGRAM [OPTIONS]: a game with a cockpit, and $port
  rm -rf run/shoal
  launch "$@" --plugin "$tmp/pace.so" --cockpit "$(free_port)"
  wait_for 20 has_port || fail "no cockpit: $(tail -n 5 "$log")"
  port=$(ls run/shoal)
}
has_port() { has_exited "$program" || [ -s "$(echo run/shoal/[0-9]*)" ]; }
free_port() { # not one that another suite is given
  echo $((20000 + $$ % 12000))
}
looks() { # looks CHECK [ARGUMENTS]
  checked=$1
  shift
  luajit "$root/tests/scenarios/lib/cockpit.lua" "$checked" "$port" "$@" || {
    stop_program
    fail "$checked: see above; the game said: $(tail -n 5 "$log")"
  }
}
check_bees() { # check_bees CHECK [OPTIONS]
  checked=$1
  shift
  begins "$release" run bees --headless "$@"
  looks "$checked"
  stop_program
  [ ! -e "run/shoal/$port" ] || fail "the file of the token is left behind"
}

it "who has no token, or comes from another page, is told so" check_bees strangers
it "what makes no sense is answered with a sentence" check_bees mistakes
it "a message of 100 MB is cut off" check_bees large
it "a thousand connections, half of them in the middle of a word, keep nobody out" check_bees many
it "who is let in waits for nobody who stands in the middle of a word" check_bees half_open
it "who asks and never listens holds nobody up" check_bees deaf
it "sixteen may speak at a time, and the next when one has left" check_bees sockets
it "what is followed comes when it changes, and only what has changed" check_bees follows
it "a cockpit that only reads changes nothing" check_bees read_only --cockpit-read-only

it "changes of what dies meanwhile are answered" check_bees dying
it "a frame, memory and events can be looked at" check_bees profile
it "each system has its rows, and textures are listed" check_bees rows
it "the console gives trees" check_bees console
it "sources and assets can be looked at, and opened in an editor" check_bees loaded --editor "true %f %l"
it "a breakpoint on data pauses the game at the row" check_bees breakpoints

tiles() {
  begins "$release" run "$root/scripts/examples/levels" --headless
  looks tiles
  stop_program
}
it "the tiles of a map are told, and what the game has set in it" tiles

figures() {
  begins "$release" run bees --headless
  looks figures "$1"
  stop_program
}
for many in ${LONG:+10000} 100000; do
  it "a world of $many entities is listed and searched, by processor time" figures $many
done

private() {
  begins "$release" run bees --headless
  [ "$(stat -c %a "run/shoal/$port")" = 600 ] || fail "the token can be read: $(ls -l run/shoal)"
  stop_program
}
it "the token lies in a file that only its user can read" private

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
  begins "$release" run fruit --headless --record fruit.replay
  looks pairs
  wait_for 20 has_exited "$program" || fail "it does not end"
  stop_program
  run_for 20 "$release" run fruit --headless --plugin "$tmp/pace.so" --replay fruit.replay
  exits 0
}
it "changes of pairs and beside them are undone, and that is part of the recording" pairs

recorded() { # recorded CHECK [OPTIONS]
  checked=$1
  shift
  begins "$release" run bees --headless --record bees.replay "$@"
  looks "$checked"
  wait_for 20 has_exited "$program" || fail "it does not end"
  stop_program
  run_for 20 "$release" run bees --headless --plugin "$tmp/pace.so" --replay bees.replay
  exits 0
}
it "values over time are told, and what would come" recorded over_time --history 16
it "two ticks and two timelines are compared" recorded compare --history 16
it "changes are part of the recording" recorded edits
it "the past can be gone to and changed, and that is recorded too" recorded past --history 16

# The bees with more to write into: a table of numbers beside the assemblages, lists, and a file from elsewhere.
wasps() { # wasps CHECK
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
}
END2
  echo 'return { hornet = { components = { health = { hp = 40 } } } }' >elsewhere.lua
  ln -s ../elsewhere.lua bees/hornets.lua
  echo 'return { title = "bees", start = function() world.spawn("wasp") world.spawn("wasp") world.spawn("queen")
    world.spawn("bee") world.spawn("hornet") end }' >bees/game.lua
  begins "$release" run bees --headless
  looks "$1"
  wait_for 20 has_exited "$program" || fail "it does not end"
  stop_program
  rm -rf made
  mv bees made
  mv kept_bees bees
}
makes() {
  wasps makes
  [ "$(tr -d ' \n' <made/scenes/hill.json)" = '{"format":1,"entities":[{"assemblage":"bee","components":{"transform":{"x":1,"y":2}}}]}' ] ||
    fail "the scene is $(cat made/scenes/hill.json)"
}
it "what differs from the assemblage goes back, what was destroyed returns, and what is placed is a scene" makes
writes() {
  wasps writes
  diff kept made/assemblages.lua >out
  [ "$(cat out)" = "$(printf '12c12\n<       health = { hp = 20 }, -- more than a bee\n---\n>       health = { hp = 21 }, -- more than a bee')" ] ||
    fail "the file differs by $(cat out)"
  [ "$(stat -c %a made/assemblages.lua)" = 640 ] || fail "the file has other permissions"
}
it "a value is written into the literal that it came from, and nothing else is" writes

same_hash() {
  begins "$release" play asteroids --headless --seed 5
  looks "$1" >told
  stop_program
  at=$(sed 's/tick \([0-9]*\) .*/\1/' told)
  run_for 60 "$release" play asteroids --headless --plugin "$tmp/pace.so" --seed 5 --ticks "$at" --hash
  exits 0
  [ "$(cat told)" = "$(cat out)" ] || fail "with the cockpit: $(cat told); without: $(cat out)"
}
it "a game that is looked at lives as one that is not" same_hash reads
it "so does one to which strangers are rude" same_hash rude

asks() {
  begins "$release" run bees --headless
  run_for 20 "$release" ask "$port" "SELECT count(*) AS n, 'é' AS word FROM health"
  exits 0
  [ "$(cat out)" = "$(printf 'n  word\n-  ----\n5  é')" ] || fail "it said: $(cat out)"
  run_for 20 "$release" ask "$port" "return world.count('bee') * 2"
  exits 0
  [ "$(cat out)" = 10 ] || fail "it said: $(cat out)"
  run_for 20 "$release" ask "$port" "SELECT * FROM honey"
  exits 1
  says err "no such table: honey"
  printf 'SELECT 1 AS one\n\nworld.count("bee")\n' >lines
  timeout 100 "$release" attach "$port" <lines >out 2>err || fail "attach: $(cat err)"
  [ "$(cat out)" = "$(printf 'one\n---\n  1\n5')" ] || fail "it said: $(cat out)"
  stop_program
  run_for 20 "$release" ask "$port" "SELECT 1"
  exits 2
  says err "no game of this user has a cockpit on port $port"
}
it "ask and attach speak to a game that runs" asks

taken() {
  begins "$release" run bees --headless
  run_for 20 "$release" run bees --headless --ticks 1 --cockpit "$port"
  exits 2
  says err "is free: choose another with --cockpit PORT"
  stop_program
}
it "a port that is taken is refused by name" taken

wrong_words() { # wrong_words "what it must say" WORDS…
  must=$1
  shift
  run_for 20 "$release" "$@"
  exits 2
  expect_one_line err
  says err "$must"
}
it "ask without a question says what it needs" wrong_words 'ask PORT "SELECT …"' ask 7700
it "attach without a port says what it needs" wrong_words "attach PORT" attach
it "a port that is none is refused" wrong_words "port must be in" run bees --headless --cockpit 80
absent() {
  run_for 20 "$release" run bees --headless --ticks 3
  exits 0
  ! grep -q cockpit err || fail "it said: $(cat err)"
}
it "without a window there is a cockpit only for whoever asks" absent

fuzzed() {
  begins "$sanitized" run bees --headless --budget 0
  looks fuzz "$1" "${SEED:-1}"
  stop_program
  ! grep -q "ERROR: \|runtime error" "$log" || fail "$(grep -A 12 "ERROR: \|runtime error" "$log")"
}
it "any message is answered" fuzzed "$([ -n "$LONG" ] && echo 1000000 || echo 600)"
