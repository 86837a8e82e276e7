# Packages of --baseline in fresh systems: Debian 11, 12 and 13 with nothing but Mesa and the X client libraries,
# without a network, play a recording to the hashes of the development build, without a window and in one (Xvfb,
# outside). As root, who may make such systems; by hand, where they are kept for the next time: LONG=1 sh
# tests/scenarios/chroots.sh. The third game is the example of the plugin box2d, which is C++.
# only with --long
# needs: release
. "$(dirname "$0")/../lib.sh"
. "$root/tests/scenarios/lib/package.sh"
cd "$tmp" || exit 1

missing() {
  echo "skipped everything: $*"
  exit 0
}
[ "$(id -u)" = 0 ] || missing "root alone may make them"
for program in debootstrap unshare Xvfb; do command -v "$program" >/dev/null || missing "$program is missing"; done
mirror=$(sh "$root/engine/start/baseline.sh" --mirror)
[ -n "$mirror" ] || missing "apt knows no mirror of Debian"

chroots=$tmp/chroots
mkdir -p "$chroots"

# The folder of a game, for there are many examples.
folder_of() {
  case $1 in
  example) echo "$root/engine/plugins/box2d/example" ;;
  *) echo "$root/scripts/games/$1" ;;
  esac
}

is_packed() { # is_packed GAME
  sh "$root/engine/start/package.sh" "$(folder_of "$1")" --baseline --to "$tmp/packages" >"$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
  grep -qF "it needs glibc 2.31" "$tmp/said" || grep -qE "glibc 2\.(2[0-9]|30)" "$tmp/said" || fail "$(cat "$tmp/said")"
}

# (It is built in /shoal there.)
is_the_same_twice() { # is_the_same_twice GAME
  package=$1-1.0-linux-$(uname -m)
  names_no_builder "$tmp/packages/$package" /shoal/build
  sh "$root/engine/start/package.sh" "$(folder_of "$1")" --baseline --to "$tmp/second" >"$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
  the_same "$tmp/packages" "$tmp/second" "$package"
}

expect() { # expect GAME: what the development build makes of it
  run_for 120 "$release" run "$(folder_of "$1")" --trust --headless --no-watch --seed 3 --ticks 300 --record "$tmp/$1.replay" --hash
  exits 0
  grep hash "$tmp/out" >"$tmp/$1.hash"
}

system_of() { # system_of SUITE
  [ ! -e "$chroots/$1/.made" ] || return 0
  rm -rf "${chroots:?}/$1"
  debootstrap --variant=minbase --include=libgl1-mesa-dri,libgl1,libglx-mesa0,libegl1,libx11-6,libxext6,libxcursor1,libxi6,libxrandr2,libxss1,libxfixes3,libxkbcommon0 \
    "$1" "$chroots/$1" "$mirror" >"$tmp/made" 2>&1 || fail "$(tail -n 3 "$tmp/made")"
  touch "$chroots/$1/.made"
}

# inside SUITE COMMAND…: there, without a network, with the X server's socket.
inside() {
  system=$chroots/$1
  shift
  mkdir -p "$system/tmp/.X11-unix"
  # shellcheck disable=SC2016
  run_for 300 unshare --mount --net sh -c 'mount -t proc proc "$0/proc" && mount --bind /tmp/.X11-unix "$0/tmp/.X11-unix" &&
    exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root SDL_AUDIODRIVER=dummy "$@"' "$system" "$@"
}

plays() { # plays SUITE GAME
  system_of "$1"
  package=$2-1.0-linux-x86_64
  rm -rf "$chroots/$1/game"
  mkdir -p "$chroots/$1/game"
  cp -r "$tmp/packages/$package" "$tmp/$2.replay" "$chroots/$1/game/"
  inside "$1" "/game/$package/$2" --headless --replay "/game/$2.replay" --hash --save /game/saved.sqlite
  exits 0
  [ -s "$chroots/$1/game/saved.sqlite" ] || fail "nothing was saved: $(cat "$tmp/err")"
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/$2.hash")" ] || fail "$(cat "$tmp/$2.hash" "$tmp/out" "$tmp/err")"
  inside "$1" DISPLAY=":$display" SDL_VIDEODRIVER=x11 "/game/$package/$2" --every-tick --replay "/game/$2.replay" --hash \
    --screenshot /game/picture.png
  exits 0
  [ "$(grep hash "$tmp/out")" = "$(cat "$tmp/$2.hash")" ] || fail "in a window: $(cat "$tmp/$2.hash" "$tmp/out" "$tmp/err")"
  cp "$chroots/$1/game/picture.png" "$tmp/$1-$2.png" || fail "no picture: $(cat "$tmp/err")"
  [ "$(head -c 4 "$tmp/$1-$2.png" | tail -c 3)" = PNG ] || fail "no picture: $(cat "$tmp/err")"
}

mkdir -p /tmp/.X11-unix
rm -f "$tmp/display" # of the last time
Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -ac 3>"$tmp/display" 2>"$tmp/xvfb" &
server=$!
trap 'kill $server' EXIT
wait_for 10 test -s "$tmp/display" || { echo "not ok the suite has a display: Xvfb did not start"; exit 1; }
display=$(cat "$tmp/display")

for game in asteroids lantern example; do
  it "$game is packed with --baseline, and needs glibc 2.31 at most" is_packed "$game"
  it "$game packed with --baseline once more is the same bytes, and names no builder" is_the_same_twice "$game"
  expect "$game"
  for release_of in bullseye bookworm trixie; do
    it "$game in a fresh Debian ($release_of): the recording's hashes, without a window and in one" plays "$release_of" "$game"
  done
done
