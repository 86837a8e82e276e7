# The rooms of a served world in game.lua: each mistake is reported with the line, the problem and the fix.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# rejects LINE TEXT LUA: the game does not start if `serve` in game.lua is this table.
rejects() {
  mkdir -p bad/scenes
  echo 'return { multiplayer = { players = { 1, 4 } }, serve =' >bad/game.lua
  printf '%s }\n' "$3" >>bad/game.lua
  echo '{ "format": 1, "entities": [] }' >bad/scenes/town.json
  run_for 30 "$release" run bad --headless --no-watch --ticks 1
  [ "$status" != 0 ] || fail "the game started"
  says err "game.lua:$1: $2"
}
accepts() {
  mkdir -p good/scenes
  echo '{ "format": 1, "entities": [] }' >good/scenes/town.json
  echo 'return { multiplayer = { players = { 1, 4 } }, serve = { rooms = {
    town = { scene = "town" }, mine_2 = { count = 64, players = 32, enter = false, sleeps = false } } } }' >good/game.lua
  run_for 30 "$release" run good --headless --no-watch --strict --ticks 1
  exits 0
}
it "a game can declare rooms with and without options" accepts
it "serve must be a table" rejects 1 "serve must be a table, got 4" '4'
it "serve requires at least one room" rejects 1 \
  "serve.rooms must be a table with at least one room, got nil: serve = { rooms = { town" '{}'
it "an unknown field of serve is an error that suggests the nearest name" rejects 2 \
  "serve has no field room (did you mean rooms?); available: accounts, rooms" '{ room = {} }'
it "a room must be a table" rejects 2 "the room town must be a table, got true: use town = { scene = \"town\" }" \
  '{ rooms = { town = true } }'
it "names of rooms must consist of lowercase letters, digits and underscores" rejects 2 \
  "the name of a room must consist of 1 to 31 lowercase letters, digits and _, and begin with a letter, got mine-2" \
  '{ rooms = { ["mine-2"] = {} } }'
it "a room without a name is an error" rejects 2 "the name of a room must consist of 1 to 31 lowercase letters, digits and _" \
  '{ rooms = { {} } }'
it "an unknown field of a room is an error that suggests the nearest name" rejects 3 \
  "the room town has no field scenes (did you mean scene?); available: count, enter, players, scene, sleeps" \
  '{ rooms = { town = {
    scenes = "town" } } }'
it "a field of a room with a value of the wrong type is an error" rejects 3 "sleeps of the room mine must be a boolean, got 0" \
  '{ rooms = { town = { sleeps = true }, mine = {
    sleeps = 0 } } }'
it "a room can have at most 32 players" rejects 2 "players of the room town must be an integer from 1 to 32, got 33" \
  '{ rooms = { town = { players = 33 } } }'
it "count of a room must be an integer" rejects 2 "count of the room town must be an integer from 1 to 64, got 1.5" \
  '{ rooms = { town = { count = 1.5 } } }'
it "a world can have at most 256 rooms" rejects 2 "serve.rooms has 257 rooms in total: at most 256 are possible" \
  '{ rooms = { a = { count = 64 }, b = { count = 64 }, c = { count = 64 }, d = { count = 64 }, e = {} } }'
it "a world in which players can join no room is an error" rejects 2 \
  "all rooms have enter = false, so no player could join the world: remove it from one room" \
  '{ rooms = { town = { enter = false } } }'
it "the scene of a room must exist" rejects 3 "scenes/twon.lua or .json not found: did you mean town?" \
  '{ rooms = { town = {
    scene = "twon" } } }'

lacks_players() {
  mkdir -p alone
  echo 'return { serve = { rooms = { town = {} } } }' >alone/game.lua
  run_for 30 "$release" run alone --headless --no-watch --ticks 1
  says err "game.lua:1: serve requires players: add multiplayer = { players = { 1, 8 } }"
}
it "serve requires a game that declares players" lacks_players
