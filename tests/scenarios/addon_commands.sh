# ./shoal new --addon and ./shoal add: add-ons are created, added to games, checked and updated (engine/docs/addons.md).
# needs: release
. "$(dirname "$0")/../lib.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./*

# ---- ./shoal new --addon

new_addon() {
  run_for 60 "$shoal" new glow --addon
  exits 0
  run_for 60 sh glow/test.sh
  exits 0
  says out "ok: the spinner turns"
  run_for 60 "$shoal" run glow/example --headless --strict --ticks 60
  exits 0
  ! grep -E "^(warn|error)" err || fail "$(cat err)"
  ! grep -rn thing glow --exclude-dir=.shoal || fail "the template's name was not replaced"
  ! grep -rn "$root" glow --exclude=test.sh || fail "an absolute path"
}
it "an add-on created by ./shoal new --addon runs without warnings and passes its test" new_addon

refused_new() { # refused_new "MESSAGE" ARGUMENT…
  message=$1
  shift
  run_for 20 "$shoal" new "$@"
  exits 2
  expect_one_line err
  says err "$message"
}
not_created() {
  requires new_addon
  refused_new "invalid name '9lives'" 9lives --addon
  refused_new "./glow already exists" glow --addon
  refused_new "folder nowhere not found" glow --addon --at nowhere
}
it "./shoal new --addon rejects an invalid name, an existing folder and a missing target folder" not_created

# ---- ./shoal add

# Makes an add-on `score` of this version in the folder my/score, and a game `mine`.
make_addon() {
  rm -rf my
  mkdir -p my/score/systems my/score/assets
  echo "return { name = \"score\", version = \"$1\", licence = \"MIT\" }" >my/score/addon.lua
  echo 'return { points = { n = 1 } }' >my/score/components.lua
  echo 'return { coin = { components = { points = {} } } }' >my/score/assemblages.lua
  echo 'return { query = { "points" }, update = function(q)
  for i = 1, q.count do q.points.n[i] = q.points.n[i] + 1 end
end }' >my/score/systems/count.lua
  echo '[1, 2]' >my/score/assets/list.json
}
make_game() { # make_game "ADDONS": a game whose game.lua has these add-ons
  rm -rf mine
  mkdir -p mine
  cat >mine/game.lua <<END
-- My game.
return {
  title = "Mine", -- a title
  ${1:+addons = { $1 \},
  }start = function() world.spawn("score.coin") end,
}
END
  sed -i 's/ \\}/ }/' mine/game.lua
}
add() { run_for 20 "$release" add "$@"; }
added() { # added ARGUMENT…: expects success without warnings
  add "$@"
  exits 0
  [ ! -s err ] || fail "$(cat err)"
}
# remember / unchanged: the game's files must be the same afterwards, including hidden ones.
list_game() { find mine -type f -exec sha256sum {} + | sort; find mine -type d | sort; }
remember() { list_game >before; }
unchanged() {
  list_game >after
  diff before after || fail "the game has changed"
}
refused_add() { # refused_add "MESSAGE" ARGUMENT…: expects an error of one line and an unchanged game
  message=$1
  shift
  remember
  add "$@"
  exits 2
  says err "$message"
  expect_one_line err
  unchanged
}
runs() { # runs "WARNING": the game runs; without an argument, it must not print warnings
  run_for 20 "$release" run mine --headless --no-watch --strict --ticks 3
  exits 0
  if [ $# = 0 ]; then
    ! grep -E "^(warn|error)" err || fail "$(cat err)"
  else
    says err "warn: $1"
  fi
}

adds_folder() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  says out "added score 1.0.0 to"
  diff -r my/score mine/addons/score || fail "the copy differs"
  cat >expected <<'END'
-- My game.
return {
  title = "Mine", -- a title
  start = function() world.spawn("score.coin") end,
  addons = { "score" },
}
END
  diff expected mine/game.lua || fail "game.lua"
  runs
  sum=$(cd mine/addons/score && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum | sha256sum)
  sum=${sum%% *}
  grep -qF "\"sha256\": \"$sum\"" mine/addons.lock || fail "expected $sum: $(cat mine/addons.lock)"
  grep -qF '"source": "../my/score"' mine/addons.lock && grep -qF '"version": "1.0.0"' mine/addons.lock ||
    fail "$(cat mine/addons.lock)"
  remember
  added my/score/ --to=mine
  says out "score 1.0.0 is already in"
  unchanged
}
it "./shoal add copies an add-on, lists it in game.lua and writes its checksum to addons.lock" adds_folder

lists_once() {
  make_addon 1.0.0
  for entries in '"score"' '{ "score", as = "points" }' '"menu", "score",'; do
    make_game "$entries"
    cp mine/game.lua game.lua.before
    added my/score --to mine
    diff game.lua.before mine/game.lua || fail "game.lua changed"
  done
  make_game '"menu"'
  added my/score --to mine
  grep -qF 'addons = { "menu", "score" },' mine/game.lua || fail "$(cat mine/game.lua)"
  runs
}
it "./shoal add appends to the add-ons in game.lua, unless they contain the add-on" lists_once

in_current_folder() {
  make_addon 1.0.0
  make_game
  (cd mine && "$release" add ../my/score >../out 2>../err) || fail "$(cat err)"
  runs
  refused_add "the current folder is not a game: use --to GAME" my/score
  refused_add "unknown game “asteroid”: did you mean asteroids?" my/score --to asteroid
  refused_add "nowhere: file not found" nowhere --to mine
  refused_add "unknown option “--replac”: did you mean --replace?" my/score --to mine --replac
  refused_add "expected one add-on, got “my/score” and “my”" my/score my --to mine
  refused_add "--to requires a game" my/score --to
  refused_add "expected ./shoal add PATH" --to mine
}
it "./shoal add uses the game of the current folder, and rejects unknown games, paths and options" in_current_folder

updates() {
  make_addon 1.9.0
  make_game
  added my/score --to mine
  make_addon 1.10.0
  echo more >my/score/more.txt
  rm -r my/score/assets
  added my/score --to mine
  says out "replaced score 1.9.0 by version 1.10.0"
  diff -r my/score mine/addons/score || fail "the copy differs"
  ! ls -d mine/addons/.[a-z]* 2>/dev/null || fail "a hidden folder is left"
  grep -qF '"version": "1.10.0"' mine/addons.lock || fail "$(cat mine/addons.lock)"
  ! grep -qF list.json mine/addons.lock || fail "$(cat mine/addons.lock)"
  runs
  make_addon 1.9.9
  refused_add "the game has the newer version 1.10.0 of score: use --replace to install version 1.9.9" \
    my/score --to mine
  added my/score --to mine --replace
  says out "replaced score 1.10.0 by version 1.9.9"
}
it "./shoal add replaces an unedited older version, but a newer one only with --replace" updates

edited() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  make_addon 1.1.0
  sed -i 's/n = 1 /n = 5 /' mine/addons/score/components.lua
  echo 'return {}' >mine/addons/score/events.lua
  rm mine/addons/score/assets/list.json
  runs "addons/score has been edited since ./shoal add: missing assets/list.json, changed components.lua, new events"
  remember
  add my/score --to mine
  exits 2
  unchanged
  cat >expected <<'END'
shoal: add: addons/score has been edited: use --replace to install version 1.1.0 and keep the edited folder
  missing  assets/list.json
  changed  components.lua
  new      events.lua
END
  diff expected err || fail "another message"
  cp -r mine/addons/score edited
  added my/score --to mine --replace
  says out "the previous folder is now addons/.replaced/score-1.0.0"
  diff -r edited mine/addons/.replaced/score-1.0.0 || fail "the edited folder has changed"
  diff -r my/score mine/addons/score || fail "the copy differs"
  runs
  # A second edited copy of that version does not replace the first.
  make_addon 1.0.0
  added my/score --to mine --replace
  echo >>mine/addons/score/components.lua
  added my/score --to mine --replace
  says out "the previous folder is now addons/.replaced/score-1.0.0-2"
  diff -r edited mine/addons/.replaced/score-1.0.0 || fail "the edited folder has changed"
}
it "./shoal add lists the changed files of an edited add-on, and replaces it only with --replace" edited

unlocked() {
  make_addon 1.0.0
  make_game '"score"'
  mkdir mine/addons
  cp -r my/score mine/addons/score
  echo "-- mine" >>mine/addons/score/components.lua
  refused_add "addons/score exists, and addons.lock does not list it: use --replace" my/score --to mine
  added my/score --to mine --replace
  grep -q mine mine/addons/.replaced/score-1.0.0/components.lua || fail "the old folder is lost"
  rm -rf mine/addons.lock
  added my/score --to mine # equal files need no replacement
  runs
}
it "./shoal add does not replace an add-on that is not in addons.lock" unlocked

damaged_lock() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  cp mine/addons.lock good.lock
  make_addon 1.1.0
  sum=$(sed -n 's/.*"sha256": "\(.*\)",/\1/p' good.lock)
  other=$(echo "$sum" | tr 0-9a-f 1-9a-f0)
  for edit in "s/$sum/$other/|addons.lock: the checksum of score does not match its list of files" \
    's/"count": "/&x/; s/systems.count.lua": "./&x/|addons.lock: the entry of score is malformed (systems/count.lua)' \
    's|"systems/count.lua"|"../count.lua"|'"|addons.lock: the entry of score is malformed (../count.lua)" \
    's/"version": "1.0.0"/"version": 1/|addons.lock: the entry of score is malformed' \
    's/"format": 1/"format": 2/|addons.lock: written by a newer version of Shoal' \
    's/"files": {/"files" {/|addons.lock:4: ' '1s/.*/[/|addons.lock:'; do
    sed "${edit%|*}" good.lock >mine/addons.lock
    ! cmp -s good.lock mine/addons.lock || fail "no edit: $edit"
    refused_add "${edit##*|}" my/score --to mine
    runs "${edit##*|}"
  done
  cp good.lock mine/addons.lock
  rm -rf mine/addons
  sed -i '/addons =/d' mine/game.lua
  echo 'return { coin = {} }' >mine/assemblages.lua
  sed -i 's/score.coin/coin/' mine/game.lua
  runs "addons.lock lists score, but addons/score does not exist"
}
it "a damaged addons.lock is reported when the game runs, and ./shoal add changes nothing" damaged_lock

bad_sources() {
  make_addon 1.0.0
  make_game
  rm my/score/addon.lua
  refused_add "my/score is not an add-on: it has no addon.lua" my/score --to mine
  for line in 'return { name = "score" }|addon.lua:1: version must be a string' \
    'return { name = "9", version = "1.0" }|addon.lua:1: name must consist of letters, digits and _' \
    'return { name = "../x", version = "1.0" }|addon.lua:1: name must consist of letters, digits and _' \
    'return { name = "score", version = "1" }|addon.lua:1: version must consist of two or three numbers' \
    'return { name = "score", version = "1.0.0.0" }|addon.lua:1: version must consist of two or three numbers' \
    'return { name = "a" .. "b", version = "1.0" }|addon.lua:1: name must be a string' \
    'return make()|addon.lua:1: code makes the table that addon.lua returns' \
    'return { name = "score", version = "1.0", requires = { "menu" } }|addon.lua:1: requires must map names' \
    'return { name = |addon.lua:2: unexpected symbol'; do
    echo "${line%%|*}" >my/score/addon.lua
    refused_add "my/score: ${line#*|}" my/score --to mine
  done
  make_addon 1.0.0
  echo secret >secret.txt
  ln -s ../../secret.txt my/score/leak.txt
  refused_add "leak.txt" my/score --to mine
  says err "link"
  rm my/score/leak.txt
  added my/score --to mine
  refused_add "mine/addons/score is in the addons/ of the game already" mine/addons/score --to mine
}
it "./shoal add rejects malformed add-ons, and links out of their folder" bad_sources

name_conflicts() {
  make_addon 1.0.0
  make_game '"../my/score"'
  refused_add "game.lua:4: the game already uses an add-on named score (../my/score)" my/score --to mine
  make_game '{ "../my/score", as = "points" }'
  refused_add "game.lua:4: the game already uses an add-on named score (../my/score)" my/score --to mine
  mkdir -p my/other
  echo 'return { name = "other", version = "1.0" }' >my/other/addon.lua
  make_game '{ "../my/other", as = "score" }'
  refused_add "game.lua:4: the game already uses an add-on named score (../my/other)" my/score --to mine
  make_game
  echo 'local made = {} for i = 1, 2 do made[i] = "x" .. i end return { addons = made }' >mine/game.lua
  refused_add "game.lua:1: code makes addons" my/score --to mine
  echo 'return setmetatable({}, {})' >mine/game.lua
  refused_add "game.lua:1: code makes the table that game.lua returns" my/score --to mine
}
it "./shoal add refuses a second add-on of a name, and a list of add-ons that code makes" name_conflicts

requirements() {
  make_addon 1.0.0
  make_game
  echo 'return { name = "score", version = "1.0.0", requires = { menu = ">=1.0", foes = ">=1.2" } }' >my/score/addon.lua
  add my/score --to mine
  exits 0
  says err 'warn: score requires menu >=1.0, which the game does not use: add "menu" to addons in game.lua'
  says err "warn: score requires foes >=1.2, which the game does not use: run ./shoal add with the path of foes"
  mkdir -p my/foes
  echo 'return { name = "foes", version = "1.1", requires = { score = ">=2.0" } }' >my/foes/addon.lua
  add my/foes --to mine
  exits 0
  says err "warn: score requires foes >=1.2, but the game has version 1.1"
  says err "warn: foes requires score >=2.0, but the game has version 1.0.0"
  echo 'return { name = "foes", version = "1.2" }' >my/foes/addon.lua
  added my/foes --to mine
}
it "./shoal add names the required add-ons that are missing or too old" requirements

# A limit on the size of files makes writing fail in the middle of the transaction.
failed_write() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  make_addon 1.1.0
  head -c 200000 /dev/zero >my/score/assets/large.bin
  remember
  (ulimit -f 100 && trap '' XFSZ && exec "$release" add my/score --to mine) >out 2>err && fail "no error"
  says err "File too large"
  unchanged
  # The folder is in place before game.lua is written, which is too large here.
  make_addon 1.1.0
  head -c 200000 /dev/zero | tr '\0' '-' >comment
  printf 'return { start = function() end } --' | cat - comment >mine/game.lua
  for option in "" --replace; do
    [ -z "$option" ] || echo >>mine/addons/score/components.lua
    remember
    # shellcheck disable=SC2086
    (ulimit -f 100 && trap '' XFSZ && exec "$release" add my/score --to mine $option) >out 2>err && fail "no error"
    says err "game.lua: File too large"
    unchanged
  done
  make_game
  rm -rf mine/addons.lock
  printf 'return { start = function() end } --' | cat - comment >mine/game.lua
  remember
  (ulimit -f 100 && trap '' XFSZ && exec "$release" add my/score --to mine) >out 2>err && fail "no error"
  unchanged
}
it "./shoal add changes nothing if it cannot write a file" failed_write

folders_in_the_way() {
  make_addon 1.0.0
  make_game
  mkdir elsewhere
  ln -s ../elsewhere mine/addons
  refused_add "addons: expected a folder, got a link or a file" my/score --to mine
  rm mine/addons
  mkdir mine/addons
  ln -s ../../elsewhere mine/addons/score
  refused_add "link" my/score --to mine
  rm -r mine/addons
  mkdir mine/addons.lock
  refused_add "addons.lock" my/score --to mine
  [ -z "$(ls elsewhere)" ] || fail "a file was written outside of the game"
}
it "./shoal add does not write through links out of the game" folders_in_the_way

# Kills the command at many moments. Afterwards the game has the old or the new folder, and the next run completes it.
killed() {
  make_addon 1.0.0
  mkdir my/score/assets/many
  seq 1000 | while read -r i; do echo "$i" >"my/score/assets/many/$i.txt"; done
  make_game
  added my/score --to mine
  cp -r my/score old
  make_addon 2.0.0
  cp -r old/assets my/score/
  echo new >my/score/assets/many/1.txt
  interrupted=0
  for delay in 0.002 0.004 0.008 0.012 0.016 0.02 0.03 0.04 0.06 0.08 0.12 0.16 0.3 0.6; do
    status=0
    timeout -s KILL "$delay" "$release" add my/score --to mine >out 2>err || status=$?
    [ "$status" = 0 ] || interrupted=$((interrupted + 1))
    diff -r old mine/addons/score >/dev/null || diff -r my/score mine/addons/score >/dev/null ||
      fail "a mixture of both versions"
  done
  [ "$interrupted" -gt 0 ] || fail "no process was killed"
  added my/score --to mine
  diff -r my/score mine/addons/score || fail "the copy differs"
  ! ls -d mine/addons/.add 2>/dev/null || fail "temporary folders are left"
  runs
}
it "./shoal add leaves the old or the new add-on when it is killed, and the next run removes what is left" killed
