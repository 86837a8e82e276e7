# Folders that hold what no game should: links in a circle, pipes, devices, files without end. Starting, watching,
# saving and reloading come to an end, and what is refused is named.
# needs: release
. "$(dirname "$0")/../lib.sh"
game=$tmp/game
most_s=20 # of a run; a hang is what is looked for

fresh() {
  rm -rf "$game" "$tmp/outside" "$tmp/data"
  mkdir -p "$game/systems" "$game/assets" "$game/scenes" "$tmp/outside"
  echo 'return { title = "Hostile", start = function() world.spawn(nil, { place = { x = 1 } }) end }' >"$game/game.lua"
  echo 'return { place = { x = 0 } }' >"$game/components.lua"
  echo 'return { query = { "place" }, each = function(e) e.place.x = e.place.x + 1 end }' >"$game/systems/walk.lua"
  cp "$game/systems/walk.lua" "$tmp/outside/far.lua"
}

play() {
  XDG_DATA_HOME=$tmp/data run_for "$most_s" "$release" run "$game" --headless --watch --ticks 3 "$@"
  [ "$status" != 124 ] || fail "it hangs"
}

fine() {
  play "$@"
  exits 0
}

refused() { # refused "what it says"
  play
  [ "$status" = 1 ] || [ "$status" = 2 ] || fail "exit status $status"
  says err "$1"
}

# --- what is made in the folder; then whether it goes on, or what is said

loop() { ln -s .. "$game/systems/up" && ln -s . "$game/scenes/self" && ln -s "$game" "$game/whole"; }
crossed() {
  mkdir -p "$game/a" "$game/b" "$game/c" "$game/d" "$game/e" "$game/f" "$game/g" "$game/h"
  for one in a b c d e f g h; do
    for other in a b c d e f g h; do ln -s "../$other" "$game/$one/to_$other"; done
  done
}
itself() { ln -s never "$game/systems/never" && ln -s never.lua "$game/systems/never.lua"; }
dangling() { ln -s /nowhere/at/all.lua "$game/systems/gone.lua"; }
outside() { ln -s "$tmp/outside" "$game/systems/outside"; }
pipes() { mkfifo "$game/systems/pipe.lua" "$game/assets/pipe.png" "$game/scenes/pipe.lua" "$game/README"; }
device() { ln -s /dev/zero "$game/systems/zero.lua" && ln -s /dev/stdin "$game/systems/in.lua"; }
pipe_as_game() { rm "$game/game.lua" && mkfifo "$game/game.lua"; }
pipe_as_components() { rm "$game/components.lua" && mkfifo "$game/components.lua"; }
huge() { truncate -s 3G "$game/systems/huge.lua"; }
newline() { cp "$game/systems/walk.lua" "$game/systems/$(printf 'one\ntwo').lua"; }
not_utf8() { cp "$game/systems/walk.lua" "$game/systems/$(printf 'a\377\376b').lua"; }
deep() {
  deep=$game/systems
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do deep=$deep/a_folder_with_a_name_of_forty_characters_x/b; done
  mkdir -p "$deep" && echo 'error("read")' >"$deep/hidden.lua"
}
many() { (cd "$game/systems" && seq -f '%.0f.txt' 1 $((LONG ? 100000 : 10000)) | xargs touch); }
too_many() { (mkdir "$game/notes" && cd "$game/notes" && seq -f '%.0f.txt' 1 210000 | xargs touch); }
unreadable() { chmod 0 "$game/systems/walk.lua"; }

check() { # check MAKER VERDICT [WORDS]
  fresh
  "$1" || fail "the folder cannot be made"
  shift
  "$@"
}

it "links that lead back are not followed for ever" check loop fine
it "folders that link to one another come to an end" check crossed play
it "links to themselves are nothing" check itself fine
it "a link to nothing is nothing" check dangling fine
it "a link to a folder outside is followed, as a folder" check outside fine
it "pipes in a game's folder are not waited for" check pipes fine
it "devices are no files" check device fine
it "a pipe as game.lua is no game" check pipe_as_game refused "it has no game.lua"
it "a pipe as components.lua is nothing" check pipe_as_components play
it "a file of 3 GB is refused with its size" check huge refused "huge.lua: file is too large (3072 MB, at most 1024 MB)"
it "a newline in a file's name does no harm" check newline play
it "a file's name that is not UTF-8 does no harm" check not_utf8 play
it "files below 32 folders are not looked for" check deep play
it "thousands of other files beside the systems are passed over" check many fine
[ -z "$LONG" ] || it "a folder of more than 200,000 files is refused, and says so" check too_many refused "more than 10000 folders or 200000 files"
[ "$(id -u)" = 0 ] || it "a file that cannot be read is named" check unreadable refused "Permission denied"

# --- the save folder, and files that options name

asset() {
  fresh
  mkfifo "$game/assets/pipe.png" "$game/assets/pipe.ogg"
  echo 'return { title = "Hostile", start = function() world.spawn(nil, { transform = {}, sprite = { image = "pipe.png" } }) audio.play("pipe.ogg") end }' >"$game/game.lua"
  play
}
it "a pipe among the assets is no image and no sound" asset

saves() {
  fresh
  play --exec 'world.save("one")'
  exits 0
  save=$(find "$tmp/data" -type f ! -name ".*" | head -n 1)
  [ -n "$save" ] || fail "nothing was saved"
  rm "$save" && mkfifo "$save"
  play --exec 'return world.load("one")'
  says out "expected a file, got a pipe"
  play --exec 'world.save("one")'
  says err "expected a file, got a pipe"
  rm "$save" && ln -s "$(basename "$save")" "$save"
  play --exec 'return world.load("one")'
  says out "Too many levels of symbolic links"
}
it "a pipe or a link to itself in the place of a save is named, not waited for" saves

named() { # named OPTION
  fresh
  rm -f "$tmp/pipe" && mkfifo "$tmp/pipe"
  play "$1" "$tmp/pipe"
  [ "$status" != 0 ] || fail "it says nothing"
  [ -p "$tmp/pipe" ] || fail "the pipe is gone"
  says err "expected a file, got a pipe"
}
for option in --load --replay --record --save --export; do
  it "$option with a pipe says that it is none of its files" named "$option"
done

# --- while it runs

reloads() {
  fresh
  echo 'return { start = function() print("begun") end, update = function() end }' >"$game/systems/talk.lua"
  launch "$release" run "$game" --headless --watch
  trap stop_program EXIT
  expect_log begun
  loop && pipes && device && itself
  echo 'return { reload = function() print("again") end, update = function() end }' >"$game/systems/talk.lua"
  expect_log again
}
it "they may come while the game runs: it goes on reloading" reloads
