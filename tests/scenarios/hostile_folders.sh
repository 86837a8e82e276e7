# Game folders with cyclic links, pipes, devices, huge files or too many files. A start, a save and a reload must not
# hang, and rejected files must be reported.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
max_s=20 # time limit of a run, to detect hangs

fresh() {
  rm -rf "$game" "$tmp/outside" "$tmp/data"
  mkdir -p "$game/systems" "$game/assets" "$game/scenes" "$tmp/outside"
  echo 'return { title = "Hostile", start = function() world.spawn(nil, { place = { x = 1 } }) end }' >"$game/game.lua"
  echo 'return { place = { x = 0 } }' >"$game/components.lua"
  echo 'return { query = { "place" }, each = function(e) e.place.x = e.place.x + 1 end }' >"$game/systems/walk.lua"
  cp "$game/systems/walk.lua" "$tmp/outside/far.lua"
}

play() {
  XDG_DATA_HOME=$tmp/data run_for "$max_s" "$release" run "$game" --headless --watch --ticks 3 "$@"
  [ "$status" != 124 ] || fail "the game hangs"
}

starts() {
  play "$@"
  exits 0
}

warns() { # warns MESSAGE
  starts
  says err "$1"
}

reports_error() { # reports_error MESSAGE
  play
  [ "$status" = 1 ] || [ "$status" = 2 ] || fail "exit status $status"
  says err "$1"
}

# --- functions that create the files, and the tests

cyclic_links() { ln -s .. "$game/systems/up" && ln -s . "$game/scenes/self" && ln -s "$game" "$game/whole"; }
crossed_links() {
  mkdir -p "$game/a" "$game/b" "$game/c" "$game/d" "$game/e" "$game/f" "$game/g" "$game/h"
  for one in a b c d e f g h; do
    for other in a b c d e f g h; do ln -s "../$other" "$game/$one/to_$other"; done
  done
}
self_links() { ln -s never "$game/systems/never" && ln -s never.lua "$game/systems/never.lua"; }
dangling() { ln -s never_there.lua "$game/systems/gone.lua"; }
link_inside() {
  mkdir "$game/kept" && cp "$tmp/outside/far.lua" "$game/kept/far.lua" && ln -s ../kept/far.lua "$game/systems/far.lua"
  echo 'return { place = { x = 0 } }' >"$game/kept/components.lua" && ln -sf kept/components.lua "$game/components.lua"
}
link_to_outside() { ln -s "$tmp/outside" "$game/systems/outside"; }
source_outside() { ln -s ../../outside/far.lua "$game/systems/far.lua"; }
pipes() { mkfifo "$game/systems/pipe.lua" "$game/assets/pipe.png" "$game/scenes/pipe.lua" "$game/README"; }
device() { ln -s /dev/zero "$game/systems/zero.lua"; }
pipe_as_game() { rm "$game/game.lua" && mkfifo "$game/game.lua"; }
pipe_as_components() { rm "$game/components.lua" && mkfifo "$game/components.lua"; }
huge() { truncate -s 3G "$game/systems/huge.lua"; }
newline_in_name() { cp "$game/systems/walk.lua" "$game/systems/$(printf 'one\ntwo').lua"; }
not_utf8() { cp "$game/systems/walk.lua" "$game/systems/$(printf 'a\377\376b').lua"; }
deep() {
  deep=$game/systems
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do deep=$deep/a_folder_with_a_name_of_forty_characters_x/b; done
  mkdir -p "$deep" && echo 'error("read")' >"$deep/hidden.lua"
}
many() { (cd "$game/systems" && seq -f '%.0f.txt' 1 $((LONG ? 100000 : 10000)) | xargs touch); }
too_many() { (mkdir "$game/notes" && cd "$game/notes" && seq -f '%.0f.txt' 1 210000 | xargs touch); }
unreadable() { chmod 0 "$game/systems/walk.lua"; }

check_folder() { # check_folder MAKER CHECK [ARGUMENTS]
  fresh
  "$1" || fail "cannot create the files"
  shift
  "$@"
}

it "cyclic symbolic links in a game's folder do not hang or crash the game" check_folder cyclic_links starts
it "folders that link to each other do not hang or crash the game" check_folder crossed_links play
it "a game whose folder contains links to themselves starts" check_folder self_links starts
it "a game with a dangling symbolic link starts" check_folder dangling starts
it "relative symbolic links inside a game's folder are followed" check_folder link_inside starts
it "a link to a folder outside the game is ignored with a warning that names link and target" check_folder link_to_outside \
  warns "systems/outside: the link to $tmp/outside leaves the game's folder"
it "a link to a source file outside the game is an error that names link and target" check_folder source_outside \
  reports_error "systems/far.lua: the link to ../../outside/far.lua leaves the game's folder"
it "named pipes in a game's folder do not block the game" check_folder pipes starts
it "a link to a device in a game's folder is an error" check_folder device \
  reports_error "systems/zero.lua: the link to /dev/zero leaves the game's folder"
it "a named pipe in place of game.lua is reported as a missing game.lua" check_folder pipe_as_game reports_error "has no game.lua: pass the folder"
it "a named pipe in place of components.lua does not block the game" check_folder pipe_as_components play
it "a Lua file of 3 GB is an error that states its size" check_folder huge reports_error "huge.lua: a Lua file can have at most 4 MB, got 3072.0 MB"
it "a newline in a file name does not hang or crash the game" check_folder newline_in_name play
it "a file name that is not valid UTF-8 does not hang or crash the game" check_folder not_utf8 play
it "folders nested more than 32 deep do not hang or crash the game" check_folder deep play
it "a game with thousands of unrelated files in systems/ starts" check_folder many starts
[ -z "$LONG" ] || it "a folder with more than 200,000 files is an error" check_folder too_many reports_error "more than 10000 folders or 200000 files"
[ "$(id -u)" = 0 ] || it "an unreadable file is an error" check_folder unreadable reports_error "Permission denied"

# A text and an image that are links to a secret, and a folder scenes/ that is a link to a folder outside the game.
secrets() {
  fresh
  ln -s /proc/self/environ "$game/assets/secret.txt"
  ln -s /proc/self/environ "$game/assets/secret.png"
  rmdir "$game/scenes" && ln -s ../outside "$game/scenes"
  echo '{"format":1,"entities":[]}' >"$tmp/outside/far.json"
  play --exec 'return assets.text "secret.txt"'
  cat "$tmp/out" "$tmp/err" >"$tmp/all"
  play --exec 'return world.import "far"'
  cat "$tmp/out" "$tmp/err" >>"$tmp/all"
  play --exec 'world.spawn(nil, { transform = {}, sprite = { image = "secret.png" } })'
  cat "$tmp/out" "$tmp/err" >>"$tmp/all"
  says all "assets/secret.txt: the link to /proc/self/environ leaves the game's folder"
  says all "scenes: the link to ../outside leaves the game's folder"
  says all "secret.png"
  ! grep -q "PATH=" "$tmp/all" || fail "the environment was read: $(cat "$tmp/all")"
}
it "a script cannot read a file outside the game's folder through a link" secrets

# --- save folder and files named by options

asset() {
  fresh
  mkfifo "$game/assets/pipe.png" "$game/assets/pipe.ogg"
  echo 'return { title = "Hostile", start = function() world.spawn(nil, { transform = {}, sprite = { image = "pipe.png" } }) audio.play("pipe.ogg") end }' >"$game/game.lua"
  play
}
it "named pipes in place of an image and a sound do not block the game" asset

saves() {
  fresh
  play --exec 'world.save("one")'
  exits 0
  save=$(find "$tmp/data" -type f ! -name ".*" | head -n 1)
  [ -n "$save" ] || fail "no save file"
  rm "$save" && mkfifo "$save"
  play --exec 'return world.load("one")'
  says out "expected a file, got a pipe"
  play --exec 'world.save("one")'
  says err "expected a file, got a pipe"
  rm "$save" && ln -s "$(basename "$save")" "$save"
  play --exec 'return world.load("one")'
  says out "Too many levels of symbolic links"
}
it "a named pipe or a link to itself in place of a save is an error" saves

option_with_pipe() { # option_with_pipe OPTION
  fresh
  rm -f "$tmp/pipe" && mkfifo "$tmp/pipe"
  play "$1" "$tmp/pipe"
  [ "$status" != 0 ] || fail "expected an error, got exit status 0"
  [ -p "$tmp/pipe" ] || fail "the pipe was replaced"
  says err "expected a file, got a pipe"
}
for option in --load --replay --record --save --export; do
  it "a named pipe as the file of $option is an error" option_with_pipe "$option"
done

# --- during play

created_during_play() {
  fresh
  echo 'return { start = function() print("begun") end, update = function() end }' >"$game/systems/talk.lua"
  launch "$release" run "$game" --headless --watch
  trap stop_program EXIT
  expect_log begun
  cyclic_links && pipes && self_links
  echo 'return { reload = function() print("again") end, update = function() end }' >"$game/systems/talk.lua"
  expect_log again
}
it "a saved file is reloaded after pipes and cyclic links were created during play" created_during_play
