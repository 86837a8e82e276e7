# Data files (assets.json, assets.csv, assets.text): live reload, invalid files, and replays with changed files.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

# game COMMAND: creates a game that reads its data files every fifth tick and runs the shell command COMMAND at tick 20.
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

run_game() { # run_game [OPTIONS]
  run_for 60 "$release" run game --headless --trust --ticks 40 "$@"
}

word_among_numbers() {
  game true
  printf 'name,count,code,kind,note\nfly,3,007,7,"1"\nbee,ninety,x,big,two\nant,4,12,small,3\n' >game/assets/waves.csv
  run_game
  exits 0
  says err 'assets/waves.csv:3:5: the column count contains strings, because "ninety" is not a number: correct it, or quote'
  [ "$(grep -c 'contains strings' err)" = 2 ] || fail "expected a warning at each load of the file: $(cat err)"
}
it "a word in a numeric column of a CSV file causes a warning with file, line and column" word_among_numbers

saved_files() {
  game 'echo "{ \"power\": 4 }" >items.json; printf "name,count\nfly,5\n" >waves.csv; echo second >credits.txt'
  run_game
  exits 0 out "at	20	3	3	first" "at	25	4	5	second"
}
it "an edited data file is reloaded into the running game" saved_files

keeps_previous_data() { # keeps_previous_data COMMAND MESSAGE
  game "$1"
  run_game
  says err "$2"
  says out "at	35	3	3	first"
}
it "an error in an edited JSON file names line and column, and the previous data stays in use" \
  keeps_previous_data 'printf "{\n \"power\" 4 }\n" >items.json' "assets/items.json:2: column "
it "an error in an edited CSV file names line and column, and the previous data stays in use" \
  keeps_previous_data 'printf "name,count\nfly,3,4\n" >waves.csv' "assets/waves.csv:2: column 7: the line has 3 fields, but the first line names 2"

file_too_large() {
  game 'true'
  head -c 17000000 /dev/zero | tr '\0' ' ' >game/assets/items.json
  run_game
  exits 1 err "assets.json: assets/items.json is larger than 16 MB"
}
it "a data file larger than 16 MB is an error" file_too_large

nested_too_deep() {
  game 'true'
  awk 'BEGIN { for (i = 0; i < 5000; ++i) printf "["; for (i = 0; i < 5000; ++i) printf "]" }' >game/assets/items.json
  run_game
  exits 1 err "assets/items.json:1:"
}
it "JSON nested 5,000 levels deep is an error" nested_too_deep

count_warnings() { # runs the replay and prints the number of warnings about changed files
  run_for 60 "$release" run game --headless --trust --replay a.replay
  grep -c "files differ" err || true
}
changed_before_replay() {
  game 'true'
  run_game --record a.replay
  exits 0
  [ "$(count_warnings)" = 0 ] || fail "$(cat err)"
  echo '{ "power": 4 }' >game/assets/items.json
  [ "$(count_warnings)" = 1 ] || fail "$(cat err)"
}
it "a replay warns if a data file has changed since the recording" changed_before_replay
