# Words and options: what is unknown or wrong gets a one-line message and exit status 2.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1

refused() { # refused "what it must name" COMMAND…
  named=$1
  shift
  run_for 20 "$@"
  exits 2
  expect_one_line err
  says err "$named"
}

it "an unknown word of the script is refused by name" refused frobnicate "$root/shoal" frobnicate
it "an unknown configuration is refused by name" refused fast "$root/shoal" build --config fast
it "an unknown option of test is refused by name, with the one that was meant" \
  refused "'--lnog': did you mean --long?" "$root/shoal" test --lnog
it "a filter of test that finds nothing is refused by name, whatever another one finds" \
  refused \'neverheard\' "$root/shoal" test neverheard modules
it "an unknown target of build is refused by name, with the one that was meant" \
  refused "'shaol': did you mean shoal?" "$root/shoal" build shaol
it "an unknown word of the program is refused by name" refused frobnicate "$release" frobnicate
it "an unknown option is refused by name" refused --sideways "$release" play asteroids --sideways
it "an option without its value is refused by name" refused --ticks "$release" play asteroids --headless --ticks
it "a number that is none is refused by name" refused --ticks "$release" play asteroids --headless --ticks many
it "an unknown log level is refused by name" refused --log "$release" play asteroids --headless --log loud
it "a picture of a headless run is refused" refused --screenshot \
  "$release" play asteroids --headless --ticks 1 --screenshot x.png
it "a game that does not exist is refused by name" refused nosuchgame "$release" play nosuchgame --headless
it "a folder that does not exist is refused by name" refused /nonexistent/game "$release" run /nonexistent/game --headless
mkdir -p empty
it "a folder without a game is refused by name" refused empty "$release" run empty --headless
echo >file
it "a file in place of a folder is refused by name" refused file "$release" run file --headless
it "run without a folder is refused" refused run "$release" run --headless

unreadable() {
  mkdir -p locked
  echo 'return { title = "locked" }' >locked/game.lua
  chmod 000 locked
  as_a_user=
  if [ "$(id -u)" = 0 ]; then # root may read everything: take that right away
    as_a_user="setpriv --bounding-set -dac_override,-dac_read_search --inh-caps -dac_override,-dac_read_search"
  fi
  # shellcheck disable=SC2086
  run_for 20 $as_a_user "$release" run locked --headless
  chmod 755 locked
  exits 2
  expect_one_line err
  says err locked
}
it "a folder that may not be read is refused by name" unreadable

helps() {
  run_for 20 "$@"
  exits 0
  [ "$(wc -l <"$tmp/out")" -gt 5 ] || fail "too little help: $(cat "$tmp/out")"
}
it "the script alone prints help" helps "$root/shoal"
it "the script's help prints help" helps "$root/shoal" help
it "the program's help prints help" helps "$release" --help

objects_apart() { (cd "$root" && luajit tests/scenarios/lib/premake.lua) >"$tmp/out" || fail "$(head -n 3 "$tmp/out")"; }
it "objects of each project have a folder of their own, with premake5 too" objects_apart

from_a_symlink() {
  ln -sf "$root/shoal" "$tmp/link"
  cd / || fail "no root folder"
  run_for 120 "$tmp/link" play asteroids --headless --ticks 1
  exits 0
}
it "the script works through a symbolic link and from any folder" from_a_symlink
