# ./shoal new --addon and ./shoal add: add-ons are created, added to games, checked and updated (engine/docs/addons.md).
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/package.sh"
shoal=$root/shoal
cd "$tmp" || exit 1
rm -rf ./*

# ---- ./shoal new --addon

new_addon() {
  run_for 60 "$shoal" new glow --addon
  exits 0
  run_for 60 sh glow/test.sh
  exits 0 out "ok: the spinner turns"
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
  refused_new "nowhere: folder not found" glow --addon --at nowhere
}
it "./shoal new --addon rejects an invalid name, an existing folder and a missing target folder" not_created

# ---- ./shoal add

# make_addon VERSION: makes the add-on `score` of this version in the folder my/score
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
make_game() { # make_game "ADDONS": makes the game `mine`, with these entries in the list of add-ons
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
# remember copies the game's files; unchanged fails if the files, including hidden files, differ from that copy.
remember() { rm -rf before && cp -R mine before; }
unchanged() { diff -r --no-dereference before mine || fail "the game has changed"; }
refused_add() { # refused_add "MESSAGE" ARGUMENT…: expects an error of one line and an unchanged game
  message=$1
  shift
  remember
  add "$@"
  exits 2 err "$message"
  expect_one_line err
  unchanged
}
runs() { # runs "WARNING": expects that the game prints the warning or, without an argument, no warnings
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
it "./shoal add appends an add-on to the list in game.lua unless the list contains it" lists_once

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
it "./shoal add uses the game in the current folder by default, and rejects unknown games and options" in_current_folder

updates() {
  make_addon 1.9.0
  make_game
  added my/score --to mine
  make_addon 1.10.0
  echo more >my/score/more.txt
  rm -r my/score/assets
  added my/score --to mine
  says out "replaced score 1.9.0 with version 1.10.0"
  diff -r my/score mine/addons/score || fail "the copy differs"
  ! ls -d mine/addons/.[a-z]* 2>/dev/null || fail "a hidden folder is left"
  grep -qF '"version": "1.10.0"' mine/addons.lock || fail "$(cat mine/addons.lock)"
  ! grep -qF list.json mine/addons.lock || fail "$(cat mine/addons.lock)"
  runs
  make_addon 1.9.9
  refused_add "the game has the newer version 1.10.0 of score: use --replace to install version 1.9.9" \
    my/score --to mine
  added my/score --to mine --replace
  says out "replaced score 1.10.0 with version 1.9.9"
}
it "./shoal add replaces an older version of an unedited add-on, but a newer version only with --replace" updates

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
  refused_add "addons/score exists but is not listed in addons.lock: use --replace" my/score --to mine
  added my/score --to mine --replace
  grep -q mine mine/addons/.replaced/score-1.0.0/components.lua || fail "the old folder is lost"
  rm -rf mine/addons.lock
  added my/score --to mine # succeeds without --replace, because the files are equal
  runs
}
it "./shoal add replaces an add-on that is not listed in addons.lock only with --replace" unlocked

damaged_lock() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  cp mine/addons.lock good.lock
  make_addon 1.1.0
  sum=$(sed -n 's/.*"sha256": "\(.*\)",/\1/p' good.lock)
  other=$(echo "$sum" | tr 0-9a-f 1-9a-f0)
  for edit in "s/$sum/$other/|addons.lock: the checksum of score does not match the list of files" \
    's/"count": "/&x/; s/systems.count.lua": "./&x/|addons.lock: the entry for score is malformed (systems/count.lua)' \
    's|"systems/count.lua"|"../count.lua"|'"|addons.lock: the entry for score is malformed (../count.lua)" \
    's/"version": "1.0.0"/"version": 1/|addons.lock: the entry for score is malformed' \
    's/"format": 1/"format": 2/|addons.lock: the file was written by a newer version of Shoal' \
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
it "a damaged addons.lock is reported by the running game and by ./shoal add, which then changes nothing" damaged_lock

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
    'return { name = "a" .. "b", version = "1.0" }|addon.lua:1: addon.lua may only return a table of strings, numbers, booleans and tables, found ..: move code' \
    'return make()|addon.lua:1: addon.lua may only return a table of strings, numbers, booleans and tables, found make: move code' \
    'while true do end return { name = "score", version = "1.0" }|addon.lua:1: addon.lua may only return a table of strings, numbers, booleans and tables, found while: move code' \
    'return { name = "score", version = "1.0", requires = { "menu" } }|addon.lua:1: requires must map add-on names' \
    'return { name = |addon.lua:2: unexpected symbol'; do
    echo "${line%%|*}" >my/score/addon.lua
    refused_add "my/score: ${line#*|}" my/score --to mine
  done
  make_addon 1.0.0
  { printf -- '--' && head -c 4194304 /dev/zero | tr '\0' x; } >my/score/huge.lua
  refused_add "my/score: huge.lua: a Lua file can have at most 4 MB, got 4.0 MB" my/score --to mine
  rm my/score/huge.lua
  echo secret >secret.txt
  ln -s ../../secret.txt my/score/leak.txt
  refused_add "leak.txt" my/score --to mine
  says err "link"
  rm my/score/leak.txt
  refused_add ". contains the game: move the add-on" . --to mine
  added my/score --to mine
  refused_add "mine/addons/score is already in addons/ of the game" mine/addons/score --to mine
}
it "./shoal add rejects malformed add-ons, and links that lead out of the add-on's folder" bad_sources

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
  refused_add "game.lua:1: cannot change addons, which code creates" my/score --to mine
  echo 'return setmetatable({}, {})' >mine/game.lua
  refused_add "game.lua:1: cannot change the table that game.lua returns, which code creates" my/score --to mine
}
it "./shoal add refuses to add a second add-on of the same name and to edit a list that code creates" name_conflicts

requirements() {
  make_addon 1.0.0
  make_game
  echo 'return { name = "score", version = "1.0.0", requires = { menu = ">=1.0", foes = ">=1.2" } }' >my/score/addon.lua
  add my/score --to mine
  exits 0 err 'warn: score requires menu >=1.0, which the game does not use: add "menu" to addons in game.lua'
  says err "warn: score requires foes >=1.2, which the game does not use: run ./shoal add with the path of foes"
  mkdir -p my/foes
  echo 'return { name = "foes", version = "1.1", requires = { score = ">=2.0" } }' >my/foes/addon.lua
  add my/foes --to mine
  exits 0 err "warn: score requires foes >=1.2, but the game has version 1.1"
  says err "warn: foes requires score >=2.0, but the game has version 1.0.0"
  echo 'return { name = "foes", version = "1.2" }' >my/foes/addon.lua
  added my/foes --to mine
}
it "./shoal add warns about required add-ons that are missing or too old" requirements

one_at_a_time() {
  make_addon 1.0.0
  make_game
  remember
  status=0
  flock mine "$release" add my/score --to mine >out 2>err || status=$?
  exits 2 err "another ./shoal add is changing this game: try again when it has finished"
  unchanged
  added my/score --to mine
}
it "a second ./shoal add for the same game is refused while the first is running" one_at_a_time

# A limit on file sizes makes a write fail in the middle of the transaction.
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
  # The add-on's folder is in place before game.lua is written. Here, game.lua exceeds the limit.
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
it "./shoal add does not write through links that lead out of the game's folder" folders_in_the_way

# Kills the command at many moments. The game then has the old or the new add-on, and the next run installs the new one.
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
    "$release" add my/score --to mine >out 2>err &
    sleep "$delay"
    kill -KILL $! 2>/dev/null || :
    wait $! || interrupted=$((interrupted + 1)) # wait returns when the process has released its lock
    diff -r old mine/addons/score >/dev/null || diff -r my/score mine/addons/score >/dev/null ||
      fail "a mixture of both versions"
  done
  [ "$interrupted" -gt 0 ] || fail "no process was killed"
  added my/score --to mine
  diff -r my/score mine/addons/score || fail "the copy differs"
  ! ls -d mine/addons/.add 2>/dev/null || fail "temporary folders are left"
  runs
}
it "a killed ./shoal add leaves the complete old or new add-on, and the next run removes temporary folders" killed

# ---- archives

archive() { luajit "$root/tests/scenarios/lib/archives.lua" "$@"; }
# pack ENTRY…: makes bad.zip, bad.tar.gz and bad.tar.zst with these entries.
pack() {
  archive bad.zip "$@" || fail "bad.zip"
  pack_tar "$@"
}
pack_tar() {
  archive bad.tar "$@" || fail "bad.tar"
  gzip -1n <bad.tar >bad.tar.gz
  zstd -q -f bad.tar -o bad.tar.zst
}
info='addon.lua=return { name = "score", version = "1.0.0" }'

adds_archives() {
  make_addon 1.0.0
  echo hidden >my/score/.hidden
  echo é >my/score/é.txt
  make_game
  "$root/shoal" help >/dev/null
  (cd my && tar -czf ../score-1.tar.gz score)
  tar -C my/score -cf - . | zstd -q -f -o score-2.tar.zst
  luajit "$root/tests/scenarios/lib/archives.lua" score-3.zip "score-1.0.0/" \
    "score-1.0.0/addon.lua=$(cat my/score/addon.lua)$newline" \
    "score-1.0.0/components.lua=$(cat my/score/components.lua)$newline" \
    "score-1.0.0/assemblages.lua=$(cat my/score/assemblages.lua)$newline" \
    "score-1.0.0/systems/count.lua=$(cat my/score/systems/count.lua)$newline" \
    "score-1.0.0/assets/list.json=$(cat my/score/assets/list.json)$newline" "score-1.0.0/.hidden=x" \
    "score-1.0.0/é.txt=é$newline" "__MACOSX/score-1.0.0/._addon.lua=x"
  rm my/score/.hidden
  for file in score-1.tar.gz score-2.tar.zst score-3.zip; do
    make_game
    added "$file" --to mine
    diff -r my/score mine/addons/score || fail "$file: the copy differs"
    grep -qF "\"source\": \"../$file\"" mine/addons.lock || fail "$(cat mine/addons.lock)"
    runs
    remember
    added my/score --to mine # the copy in the archive has the same checksum
    says out "score 1.0.0 is already in"
  done
}
it "./shoal add reads .zip, .tar.gz and .tar.zst archives, with or without a folder around the add-on" adds_archives

inner_links() {
  make_game
  pack_tar "score/$info" "score/a.txt=text" "score/deep/b.txt->../a.txt" "score/c.txt->deep/b.txt" \
    "score/d.txt=>score/a.txt"
  for file in bad.tar.gz bad.tar.zst; do
    make_game
    added "$file" --to mine
    for copy in a deep/b c d; do [ "$(cat mine/addons/score/$copy.txt)" = text ] || fail "$copy.txt"; done
    [ -z "$(find mine -type l)" ] || fail "a link"
  done
}
it "./shoal add replaces links between files of an archive with copies of these files" inner_links

bad_entries() {
  make_game
  mkdir mine/addons
  for entry in \
    '../evil.txt=x|../evil.txt: the path contains “..”' 'a/../../evil.txt=x|a/../../evil.txt: the path contains' \
    'a/..=x|a/..: the path contains “..”' '/tmp/evil.txt=x|/tmp/evil.txt: the path must be relative' \
    'a//b.txt=x|a//b.txt: the path contains an empty name' "a${newline}b.txt=x|the path contains a control" \
    'addon.lua=x|addon.lua: the archive contains two files with this path' \
    'addon.lua/a.txt=x|addon.lua: the archive contains a file and a folder with this path' \
    'a.txt->../../secret|a.txt: the link leads out of the add-on: ../../secret' \
    'a.txt->/etc/passwd|a.txt: the link leads out of the add-on: /etc/passwd' \
    'a.txt->systems|a.txt: the link leads to systems, which is not a file in the archive' \
    'a.txt->a.txt|a.txt: the link leads to a.txt, which is not a file' \
    'a.txt->none.txt|a.txt: the link leads to none.txt, which is not a file' \
    '1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/a.txt=x|the path must have at most 16 folders'; do
    pack "$info" "systems/a.lua=return {}" "${entry%|*}"
    for file in bad.zip bad.tar.gz bad.tar.zst; do
      refused_add "$file: " "$file" --to mine
      says err "${entry##*|}"
    done
  done
  pack_tar "$info" "a.txt=>../../secret"
  refused_add "a.txt: the link leads out of the add-on: ../../secret" bad.tar.gz --to mine
  pack_tar "$info" 'a\b.txt=x' # in a .zip, libarchive reads this path as a/b.txt
  refused_add 'a\b.txt: the path contains a backslash' bad.tar.gz --to mine
  pack_tar "$info" "pipe|"
  refused_add "pipe: expected a file, a folder or a link, got a device or a pipe" bad.tar.zst --to mine
  [ ! -e evil.txt ] && [ ! -e /tmp/evil.txt ] || fail "a file was written outside of the game"
}
it "./shoal add rejects archives with duplicate paths, and with paths or links that lead out of the add-on" bad_entries

# refused_names "MESSAGE" FILE…: expects that an add-on with these files is refused, as a folder and as an archive.
refused_names() {
  expected=$1
  shift
  rm -rf my/score bad.zip
  make_addon 1.0.0
  set -- "$@" -- "$info"
  while [ "$1" != -- ]; do
    mkdir -p "my/score/$(dirname "$1")" && echo text >"my/score/$1"
    set -- "$@" "$1=text"
    shift
  done
  shift
  pack "$@"
  for source in my/score bad.zip bad.tar.gz bad.tar.zst; do
    refused_add "$source: $expected" "$source" --to mine
  done
}
names_for_windows() {
  make_game
  refused_names "lib/con.lua: invalid name “con.lua”: Windows reserves names" lib/con.lua
  refused_names "a.txt:stream: invalid name “a.txt:stream”: file names on Windows cannot contain" a.txt:stream
  refused_names "b. /c.lua: invalid name “b. ”: file names on Windows cannot end with a dot or a space" "b. /c.lua"
  refused_names "Été.lua: the add-on also contains été.lua: Windows does not distinguish upper case" Été.lua été.lua
  make_addon 1.0.0
  long=$(printf '%0200d' 0)
  mkdir -p "my/score/$long/$long" && echo text >"my/score/$long/$long/a.txt"
  refused_add "…: the path must have at most 255 bytes" my/score --to mine
  rm -rf my/score
  make_addon 1.0.0
  echo 'return { name = "aux", version = "1.0" }' >my/score/addon.lua
  refused_add "my/score: invalid name “aux” in addon.lua: Windows reserves names" my/score --to mine
  rm -rf my/score
}
it "./shoal add rejects names of files and add-ons that are invalid on Windows" names_for_windows

not_addons() {
  make_game
  pack "a.txt=x"
  refused_add "bad.zip: not an add-on: addon.lua must be at the top of the archive or in its only folder" \
    bad.zip --to mine
  pack "score/$info" "other/a.txt=x"
  refused_add "bad.tar.gz: not an add-on" bad.tar.gz --to mine
  pack "a/b/$info"
  refused_add "bad.tar.zst: not an add-on" bad.tar.zst --to mine
  pack
  refused_add "bad.zip: not an add-on" bad.zip --to mine
  echo text >bad.txt
  refused_add "bad.txt: expected a .zip, .tar.gz or .tar.zst file" bad.txt --to mine
  pack "$info"
  refused_add "bad.tar: expected a .zip, .tar.gz or .tar.zst file" bad.tar --to mine
  : >bad.zip
  refused_add "bad.zip: expected a .zip, .tar.gz or .tar.zst file" bad.zip --to mine
}
it "./shoal add rejects archives that do not contain an add-on" not_addons

too_large() {
  make_game
  pack_tar "$info" "large.bin=*300000000"
  for file in bad.tar.gz bad.tar.zst; do refused_add "$file: the add-on is too large (at most 256 MB)" $file --to mine; done
  rm bad.tar
  # shellcheck disable=SC2046
  pack "$info" $(seq -f 'a/%g.txt=x' 10000)
  for file in bad.zip bad.tar.gz bad.tar.zst; do
    refused_add "$file: too many files (at most 10000)" $file --to mine
  done
}
it "./shoal add rejects archives with more than 10,000 files or more than 256 MB of contents" too_large

# A damaged byte or a missing end must not change the installed files: the archive is refused, or gives the same files.
steps=6
[ -z "$LONG" ] || steps=50
damaged() {
  make_addon 1.0.0
  (cd my && tar -czf ../good.tar.gz score && tar -cf - score | zstd -q -f --check -o ../good.tar.zst)
  archive good.zip "$info" "assets/a.txt=some text" "assets/b.txt=other text"
  archive bad.zip "$info" "assets/a.txt=!some text"
  make_game
  refused_add "bad.zip: assets/a.txt: the archive is damaged" bad.zip --to mine
  for file in good.zip good.tar.gz good.tar.zst; do
    make_game
    added $file --to mine
    cp -r mine/addons/score expected.score
    bytes=$(wc -c <$file) refused=0
    for step in $(seq 1 "$steps"); do
      make_game
      remember
      head -c $((bytes * step / (steps + 1))) $file >bad.${file#*.}
      add bad.${file#*.} --to mine
      if [ "$status" = 2 ]; then unchanged; else diff -r expected.score mine/addons/score || fail "cut at $step of $((steps + 1))"; fi
      make_game
      remember
      at=$((bytes * step / (steps + 1)))
      { head -c $at $file; printf '\245'; tail -c "+$((at + 2))" $file; } >bad.${file#*.}
      add bad.${file#*.} --to mine
      if [ "$status" = 2 ]; then
        unchanged
        refused=$((refused + 1))
      else
        diff -r expected.score mine/addons/score || fail "$file: byte $at is damaged"
      fi
    done
    [ "$refused" -gt $((steps / 3)) ] || fail "$file: only $refused of $steps damaged archives were refused"
    rm -r expected.score
  done
}
it "./shoal add refuses a damaged or incomplete archive unless its files are intact" damaged

# ---- packages

package() { # packs only the data file: the libraries and archives of a package take most of the time
  "$release" pack ./mine mine.data --native off >out 2>said
}
packages() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  package || fail "$(cat said)"
  [ ! -s said ] || fail "$(cat said)"
  grep -qa "addons/score/components.lua" mine.data || fail "the add-on is not packed"
  ! grep -qa "addons.lock" mine.data || fail "addons.lock is packed"
  echo "-- mine" >>mine/addons/score/components.lua
  package || fail "$(cat said)"
  grep -qF "warn: addons/score has been edited since ./shoal add: changed components.lua" said || fail "$(cat said)"
  rm mine.data
  sed -i 's/"format": 1/"format": 2/' mine/addons.lock
  ! package || fail "a game with a malformed addons.lock was packaged"
  grep -qF "addons.lock: the file was written by a newer version of Shoal" said || fail "$(cat said)"
  [ ! -e mine.data ] || fail "a file was left behind"
}
it "./shoal pack warns about edited add-ons, and rejects an addons.lock of a newer version of Shoal" packages

renamed() {
  make_addon 1.0.0
  make_game '{ "score", as = "points" }'
  sed -i 's/score.coin/points.coin/' mine/game.lua
  added my/score --to mine
  mkdir mine/addons/unused
  echo 'return { name = "unused", version = "1.0" }' >mine/addons/unused/addon.lua
  package || fail "$(cat said)"
  ! grep -qa "addons/unused" mine.data || fail "an add-on is packed that the game does not use"
  cp "$release" mine.program
  mv mine.data mine.program.data
  run_for 20 ./mine.program --headless --ticks 3 --hash
  exits 0
  cp out packed
  run_for 20 "$release" run mine --headless --no-watch --ticks 3 --hash
  cmp out packed || fail "$(cat packed out)"
}
it "a package contains only the add-ons that its game uses, under the game's names for them" renamed

licences() {
  make_addon 1.0.0
  echo 'MIT License of score' >my/score/LICENSE
  make_game
  added my/score --to mine
  mkdir -p mine/addons/plain mine/addons/free
  echo 'return { name = "plain", version = "1.2", licence = "CC0" }' >mine/addons/plain/addon.lua
  echo 'return { name = "free", version = "1.3" }' >mine/addons/free/addon.lua
  sed -i 's/{ "score" }/{ "score", "plain", "free", "menu" }/' mine/game.lua
  package_quickly sh "$root/scripts/build/package.sh" ./mine --system-libraries --to packages >said 2>&1 || fail "$(cat said)"
  made=packages/mine-1.0-linux-$(uname -m)/licences
  [ "$(cat "$made/addon-score.txt")" = "MIT License of score" ] || fail "$(ls "$made")"
  [ "$(cat "$made/addon-plain.txt")" = "plain 1.2: CC0" ] || fail "$(ls "$made")"
  [ "$(cd "$made" && echo addon-*)" = "addon-plain.txt addon-score.txt" ] || fail "$(ls "$made")"
  grep -qF "package: no licence found for the add-on free: add a file LICENSE to" said || fail "$(cat said)"
  rm -rf packages
}
it "a package contains the licences of its add-ons" licences

# ---- from one game to another

one_component() {
  make_addon 1.0.0
  make_game
  added my/score --to mine
  mkdir -p my/bonus
  echo 'return { name = "bonus", version = "1.0", requires = { score = ">=1.0" } }' >my/bonus/addon.lua
  echo 'return { points = { n = 7 } }' >my/bonus/components.lua
  added my/bonus --to mine
  runs # the game now has bonus.points and score.points
  echo 'return { ["score.points"] = { n = 7 } }' >my/bonus/components.lua
  added my/bonus --to mine
  run_for 20 "$release" run mine --headless --no-watch --ticks 3
  exits 1
  says err "addons/bonus/components.lua:1: a component's name must consist of letters, digits and _, got text \"score.points\""
}
it "two add-ons can declare components of the same name, but not components with each other's prefix" one_component

story() {
  rm -rf one two
  run_for 60 "$shoal" new one --template empty
  mkdir one/addons
  run_for 60 "$shoal" new glow --addon --at one/addons
  exits 0
  sed -i 's/height = 720,/& addons = { "glow" },/; s/world.spawn("words")/world.spawn("glow.spinner")/' one/game.lua
  run_for 20 "$release" run one --headless --strict --ticks 3
  exits 0
  # One command adds the add-on to a second game.
  run_for 60 "$shoal" new two --template empty
  added one/addons/glow --to two
  sed -i 's/world.spawn("words")/world.spawn("glow.spinner")/' two/game.lua
  run_for 20 "$release" run two --headless --strict --ticks 60
  exits 0
  # The add-on is edited in the second game.
  sed -i 's/speed = 1.5/speed = 3/' two/addons/glow/components.lua
  cp two/addons/glow/components.lua edited.lua
  run_for 20 "$release" run two --headless --strict --ticks 60 --save two.sqlite
  exits 0 err "warn: addons/glow has been edited since ./shoal add: changed components.lua"
  # A newer version renames a component and a field.
  sed -i 's/1.0.0/1.1.0/' one/addons/glow/addon.lua
  sed -i 's/spin = { speed = 1.5,/rotor = { speed = 1.5, renamed_from = "spin",/
    s/turns = 0,/rounds = 0, renamed_from = { rounds = "turns" },/' one/addons/glow/components.lua
  sed -i 's/spin\([^a-z]\)/rotor\1/g; s/turns/rounds/g' one/addons/glow/systems/spin.lua one/addons/glow/assemblages.lua
  add one/addons/glow --to two
  exits 2 err "addons/glow has been edited: use --replace to install version 1.1.0 and keep the edited folder"
  # The running game loads the new version and keeps the values.
  launch "$release" run two --headless --watch --load two.sqlite
  expect_log "two: seed"
  added one/addons/glow --to two --replace
  cmp edited.lua two/addons/.replaced/glow-1.0.0/components.lua || fail "the edited file is lost"
  expect_log "glow.total.rounds: renamed from turns"
  expect_log "glow.rotor.speed: renamed from glow.spin.speed"
  stop_program
  ! grep "^error" "$log" || fail "$(cat "$log")"
  # A save of the old version keeps its values, too.
  run_for 20 "$release" run two --headless --strict --load two.sqlite --ticks 60 --save new.sqlite
  exits 0
  ! grep "^warn" err || fail "$(cat err)"
  run_for 20 "$release" sql new.sqlite "SELECT printf('%.3f', rounds) FROM \"glow.total\""
  says out 0.477
}
it "an add-on of one game can be added to a second game, edited there, and updated with its state migrated" story
