# Files of data, assets.json and its kin: one that is saved reaches the running game, one with a mistake is refused, and
# a replay says when what it was recorded with is another one now.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# game COMMAND: a game that reads its files in every fifth tick; COMMAND changes them at tick 20.
game() {
  rm -rf game
  mkdir -p game/systems game/assets
  echo 'return { title = "data", native = true }' >game/game.lua
  echo '{ "power": 3 }' >game/assets/items.json
  printf 'name,count\nfly,3\n' >game/assets/waves.csv
  echo 'first' >game/assets/credits.txt
  cat >game/systems/reads.lua <<END
local ffi = require "ffi"
ffi.cdef "int system(const char *);"
return {
  update = function()
    if world.tick % 5 == 0 then
      print("at", world.tick, assets.json("items.json").power, assets.csv("waves.csv")[1].count, assets.text "credits.txt")
    end
    if world.tick == 20 then
      ffi.C.system [==[cd $tmp/game/assets && $1]==]
      reload()
    end
  end,
}
END
}

plays() { # plays [options]
  run_for 60 "$release" run game --headless --trust --ticks 40 "$@"
}

saved() {
  game 'echo "{ \"power\": 4 }" >items.json; printf "name,count\nfly,5\n" >waves.csv; echo second >credits.txt'
  plays
  exits 0
  says out "at	20	3	3	first"
  says out "at	25	4	5	second"
}
it "a file that is saved reaches the running game" saved

refused() { # refused COMMAND "WORDS"
  game "$1"
  plays
  says err "$2"
  says out "at	35	3	3	first"
}
it "JSON with a mistake is refused with line and column, and the old one stays" \
  refused 'printf "{\n \"power\" 4 }\n" >items.json' "assets/items.json:2: column "
it "CSV with a mistake is refused with line and column, and the old one stays" \
  refused 'printf "name,count\nfly,3,4\n" >waves.csv' "assets/waves.csv:2: column 7: 3 fields, and the first line names 2"

huge() {
  game 'true'
  head -c 17000000 /dev/zero | tr '\0' ' ' >game/assets/items.json
  plays
  exits 1
  says err "assets.json: assets/items.json is larger than 16 MB"
}
it "a file that is too large is said, and not read" huge

deep() {
  game 'true'
  awk 'BEGIN { for (i = 0; i < 5000; ++i) printf "["; for (i = 0; i < 5000; ++i) printf "]" }' >game/assets/items.json
  plays
  exits 1
  says err "assets/items.json:1:"
}
it "lists in lists without end are refused" deep

changed() { # changed WHAT: how often the replay says that something is another one now
  run_for 60 "$release" run game --headless --trust --replay a.replay
  grep -c "files differ" err || true
}
replayed() {
  game 'true'
  plays --record a.replay
  exits 0
  [ "$(changed)" = 0 ] || fail "$(cat err)"
  echo '{ "power": 4 }' >game/assets/items.json
  [ "$(changed)" = 1 ] || fail "$(cat err)"
}
it "a replay says when a file of data is another one than it was recorded with" replayed
