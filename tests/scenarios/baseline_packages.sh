# Packages built with --baseline run on old systems: in chroots of Debian 11, 12 and 13 with only Mesa and the X client
# libraries, and without a network, they replay a recording to the hashes of the development build, headless and in a
# window (Xvfb outside the chroot). Requires root to create the chroots. If run by hand (LONG=1 sh
# tests/scenarios/baseline_packages.sh), the chroots are kept for the next run. The third game is the example of the
# box2d plugin, which is written in C++.
# only with --long
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/package.sh"
cd "$tmp" || exit 1

missing() {
  echo "skipped all tests: $*"
  exit 0
}
[ "$(id -u)" = 0 ] || missing "creating a chroot requires root"
for program in debootstrap unshare Xvfb; do command -v "$program" >/dev/null || missing "$program is not installed (./shoal deps --test --long installs it)"; done
mirror=$(sh "$root/scripts/build/baseline.sh" --mirror)
[ -n "$mirror" ] || missing "apt has no Debian mirror configured"

chroots=$tmp/chroots
mkdir -p "$chroots"

# game_folder GAME: prints the game's folder; `example` means the example of the box2d plugin.
game_folder() {
  case $1 in
  example) echo "$root/engine/plugins/box2d/example" ;;
  *) echo "$root/scripts/games/$1" ;;
  esac
}

is_packaged() { # is_packaged GAME
  sh "$root/scripts/build/package.sh" "$(game_folder "$1")" --baseline --to "$tmp/packages" >"$tmp/package.log" 2>&1 || fail "$(cat "$tmp/package.log")"
  grep -qF "requires glibc 2.31" "$tmp/package.log" || grep -qE "glibc 2\.(2[0-9]|30)" "$tmp/package.log" || fail "$(cat "$tmp/package.log")"
}

# Baseline builds run in the folder /shoal of a chroot, so the files must not contain this path either.
is_reproducible() { # is_reproducible GAME
  package=$1-1.0-linux-$(uname -m)
  names_no_builder "$tmp/packages/$package" /shoal/build
  sh "$root/scripts/build/package.sh" "$(game_folder "$1")" --baseline --to "$tmp/second" >"$tmp/package.log" 2>&1 || fail "$(cat "$tmp/package.log")"
  the_same "$tmp/packages" "$tmp/second" "$package"
}

record_expected_hashes() { # record_expected_hashes GAME: records the game with the development build
  run_for 120 "$release" run "$(game_folder "$1")" --trust --headless --no-watch --seed 3 --ticks 300 --record "$tmp/$1.replay" --hash
  exits 0
  grep hash "$tmp/out" >"$tmp/$1.hash"
}

create_system() { # create_system SUITE
  [ ! -e "$chroots/$1/.made" ] || return 0
  rm -rf "${chroots:?}/$1"
  debootstrap --variant=minbase --include=libgl1-mesa-dri,libgl1,libglx-mesa0,libegl1,libx11-6,libxext6,libxcursor1,libxi6,libxrandr2,libxss1,libxfixes3,libxkbcommon0 \
    "$1" "$chroots/$1" "$mirror" >"$tmp/made" 2>&1 || fail "$(tail -n 3 "$tmp/made")"
  touch "$chroots/$1/.made"
}

# run_inside SUITE COMMAND…: runs the command in the chroot, without a network but with the X server's socket.
run_inside() {
  system=$chroots/$1
  shift
  mkdir -p "$system/tmp/.X11-unix"
  # shellcheck disable=SC2016
  run_for 300 unshare --mount --net sh -c 'mount -t proc proc "$0/proc" && mount --bind /tmp/.X11-unix "$0/tmp/.X11-unix" &&
    exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root SDL_AUDIODRIVER=dummy "$@"' "$system" "$@"
}

replays_in() { # replays_in SUITE GAME
  create_system "$1"
  package=$2-1.0-linux-x86_64
  rm -rf "$chroots/$1/game"
  mkdir -p "$chroots/$1/game"
  cp -r "$tmp/packages/$package" "$tmp/$2.replay" "$chroots/$1/game/"
  run_inside "$1" "/game/$package/$2" --headless --replay "/game/$2.replay" --hash --save /game/saved.sqlite
  exits 0
  [ -s "$chroots/$1/game/saved.sqlite" ] || fail "no save file: $(cat "$tmp/err")"
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/$2.hash")" ] || fail "$(cat "$tmp/$2.hash" "$tmp/out" "$tmp/err")"
  run_inside "$1" DISPLAY=":$display" SDL_VIDEODRIVER=x11 "/game/$package/$2" --every-tick --replay "/game/$2.replay" --hash \
    --screenshot /game/picture.png
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/$2.hash")" ] || fail "in a window: $(cat "$tmp/$2.hash" "$tmp/out" "$tmp/err")"
  cp "$chroots/$1/game/picture.png" "$tmp/$1-$2.png" || fail "no picture: $(cat "$tmp/err")"
  [ "$(head -c 4 "$tmp/$1-$2.png" | tail -c 3)" = PNG ] || fail "no picture: $(cat "$tmp/err")"
}

mkdir -p /tmp/.X11-unix
rm -f "$tmp/display" # left by a previous run
Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -ac 3>"$tmp/display" 2>"$tmp/xvfb" &
server=$!
trap 'kill $server' EXIT
wait_for 10 test -s "$tmp/display" || { echo "not ok the suite has a display: Xvfb did not start"; exit 1; }
display=$(cat "$tmp/display")

for game in asteroids lantern example; do
  it "$game packaged with --baseline needs at most glibc 2.31" is_packaged "$game"
  it "packaging $game with --baseline is reproducible and leaves no build paths in the files" is_reproducible "$game"
  record_expected_hashes "$game"
  for release_of in bullseye bookworm trixie; do
    it "the package of $game replays a recording to the same hashes in a fresh Debian $release_of, headless and in a window" replays_in "$release_of" "$game"
  done
done
