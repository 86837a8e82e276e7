# ./shoal doctor: what this machine has and what is missing for playing, building, handing on and testing, what each is
# for, and how to get it. Sourced by ./shoal. A line each: `ok`, `note` (a game runs without it) or `MISSING`, of which
# one makes the exit code 1.
ill=0
ok() { printf 'ok       %s\n' "$1"; }
note() { printf 'note     %s\n         → %s\n' "$1" "$2"; }
missing() { ill=1; printf 'MISSING  %s\n         → %s\n' "$1" "$2"; }

install_hint() { # install_hint PACKAGE…: how packages come to this system
  if have apt-get; then echo "apt-get install $*"; else echo "your package manager has it ($* on Debian); ./shoal deps prints its names"; fi
}

tools() {
  for pair in "${CC:-cc}:gcc libc6-dev" make:make pkg-config:pkg-config; do
    if have "${pair%%:*}"; then ok "${pair%%:*}, to build"; else missing "no ${pair%%:*}, to build" "$(install_hint ${pair#*:})"; fi
  done
  if have premake5 || have premake4; then ok "premake, to build"; else missing "no premake, to build" "$(install_hint premake4)"; fi
}

libraries() {
  have pkg-config || return 0
  lacks=
  for pair in sdl2:libsdl2-dev SDL2_mixer:libsdl2-mixer-dev freetype2:libfreetype-dev harfbuzz:libharfbuzz-dev \
    fribidi:libfribidi-dev luajit:libluajit-5.1-dev epoxy:libepoxy-dev libzstd:libzstd-dev \
    sqlite3:libsqlite3-dev jansson:libjansson-dev zlib:zlib1g-dev minizip:libminizip-dev sleef:libsleef-dev; do
    pkg-config --exists "${pair%%:*}" 2>/dev/null || lacks="$lacks ${pair#*:}"
  done
  if [ -z "$lacks" ]; then
    ok "the libraries that it is built with"
  else
    missing "libraries to build with:$lacks" "./shoal deps, or $(install_hint $lacks)"
  fi
}

# One start of an empty game, drawn into memory: what it says of the graphics driver and of sound.
program() {
  shoal=$root/$built/release/bin/shoal
  if [ ! -x "$shoal" ]; then
    note "nothing is built here yet" "./shoal build, and ./shoal doctor again: it looks at graphics and sound then"
    return
  fi
  if have ldd && ldd "$shoal" 2>/dev/null | grep -q 'not found'; then
    missing "the program lacks $(ldd "$shoal" | sed -n 's/[ \t]*\(.*\) => not found/\1/p' | tr '\n' ' ')" "./shoal deps, then ./shoal build"
    return
  fi
  said=$(SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} "$shoal" run "$root/scripts/templates/empty" --ticks 2 --no-watch \
    --no-cockpit --history 0 --log debug 2>&1 </dev/null) && status=0 || status=$?
  drawn=$(echo "$said" | sed -n 's/.*render: \(.*, OpenGL .*\)/\1/p' | head -n 1)
  case $drawn in
    '') missing "no OpenGL 3.3: $(echo "$said" | sed -n 's/^error: //p' | head -n 1)" \
      "the driver of the graphics card, or Mesa: $(install_hint libgl1-mesa-dri)" ;;
    *llvmpipe* | *softpipe* | *swrast*) note "OpenGL without a graphics card: $drawn" \
      "it plays, slowly; where there is a card, its driver is missing: $(install_hint libgl1-mesa-dri)" ;;
    *) ok "OpenGL: $drawn" ;;
  esac
  [ -z "$drawn" ] || [ "$status" = 0 ] || missing "an empty game fails" "$(echo "$said" | sed -n 's/^error: //p' | head -n 1)"
  silent=$(echo "$said" | sed -n 's/.*silent, no sound device: //p' | head -n 1)
  if [ -n "$silent" ]; then
    note "no sound: $silent" "games play in silence; a sound server such as PipeWire or PulseAudio runs for whoever is logged in"
  elif [ -n "$drawn" ]; then
    ok "sound"
  fi
}

display() {
  if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
    ok "a screen: ${WAYLAND_DISPLAY:-$DISPLAY}"
  else
    note "no screen (neither DISPLAY nor WAYLAND_DISPLAY is set)" "begin in a desktop; --headless runs without one, --screenshot draws into memory"
  fi
}

extras() {
  found=
  for name in libLLVM-15.so.1 libLLVM-16.so.1 libLLVM.so.19.1 libLLVM-19.so.1; do
    for folder in $(echo "${LD_LIBRARY_PATH-}" | tr : ' ') /usr/lib /usr/lib64 /lib /usr/lib/*-linux-gnu* /usr/lib/llvm-*/lib; do
      [ ! -e "$folder/$name" ] || found=$name
    done
  done
  if [ -n "$found" ]; then
    ok "LLVM ($found): systems become machine code"
  else
    note "no LLVM: systems run as LuaJIT compiles them, some of them slower" "$(install_hint libllvm15)"
  fi
  browser=
  for name in firefox chromium chromium-browser google-chrome xdg-open; do
    [ -n "$browser" ] || ! have $name || browser=$name
  done
  if [ -n "$browser" ]; then
    ok "a browser, for the cockpit and the pages ($browser)"
  else
    note "no browser: the cockpit (F1) is a page" "$(install_hint firefox-esr)"
  fi
}

# needs PURPOSE PROGRAM[/OTHER]=PACKAGE=WORDS…: programs that something besides playing asks for, and what each does
# there. A path in place of a program is a file.
needs() {
  purpose=$1 all= lacks= packages=
  shift
  for need in "$@"; do
    programs=${need%%=*} package=${need#*=} found=
    words=${package#*=} package=${package%%=*}
    case $programs in
      /*) [ ! -e "$programs" ] || found=yes ;;
      *) for program in $(echo "$programs" | tr / ' '); do ! have "$program" || found=yes; done ;;
    esac
    shown=${programs%%/*}
    [ -n "$shown" ] || shown=${programs##*/}
    all="$all${all:+, }$shown"
    [ -n "$found" ] || { lacks="$lacks${lacks:+, }$shown ($words)" packages="$packages${packages:+ }$package"; }
  done
  # shellcheck disable=SC2086
  if [ -z "$lacks" ]; then ok "$purpose: $all"; else note "$purpose: no $lacks" "$(install_hint $packages)"; fi
}

purposes() {
  needs "./shoal docs" "pandoc=pandoc=makes the pages"
  needs "./shoal package" "readelf=binutils=which libraries a program needs" "zstd=zstd=the archive" \
    "dpkg-source=dpkg-dev=unpacks SDL's sources" "cmake=cmake=builds SDL_mixer"
  needs "./shoal package --baseline, as root" "debootstrap=debootstrap=makes the Debian 11 that it is built in"
  needs "./shoal package --for linux-arm64" "aarch64-linux-gnu-g++=g++-aarch64-linux-gnu=compiles for arm64" \
    "tclsh=tcl=builds SQLite"
  needs "playing packages for arm64 here, which tests/scenarios/arm64.sh does" \
    "qemu-aarch64/qemu-aarch64-static=qemu-user=runs programs of arm64"
  needs "./shoal test" "g++=g++=plugins in C++" "luajit=luajit=the tests' own scripts" "cmake=cmake=programs that embed Shoal" \
    "/usr/include/cmocka.h=libcmocka-dev=unit tests" "Xvfb=xvfb=a screen for windows" "xauth=xauth=who may use that screen" \
    "xdotool=xdotool=keys and clicks" "import=imagemagick=looks at pictures" "luacheck=lua-check=reads the Lua" \
    "clang-format=clang-format=how the C is laid out"
  needs "./shoal test --long" "clang-tidy=clang-tidy=reads the C" "chromium/chromium-browser=chromium=tries the cockpit and the pages"
  if have lua-language-server; then
    ok "completion in editors: lua-language-server"
  else
    note "completion in editors: no lua-language-server in the path" \
      "editors bring it with their extension for Lua (sumneko.lua in VS Code); Debian has no package of it"
  fi
}

limits() {
  watches=$(cat /proc/sys/fs/inotify/max_user_watches 2>/dev/null || echo 0)
  instances=$(cat /proc/sys/fs/inotify/max_user_instances 2>/dev/null || echo 0)
  if [ "$watches" = 0 ]; then
    note "no inotify here" "saved files are found by looking at them, which takes a moment longer"
  elif [ "$watches" -lt 8192 ] || [ "$instances" -lt 64 ]; then
    note "few inotify watches: $watches, for $instances programs" "sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
  else
    ok "inotify: $watches watches for $instances programs"
  fi
  files=$(ulimit -n)
  if [ "$files" != unlimited ] && [ "$files" -lt 256 ]; then
    note "few open files: $files" "ulimit -n 1024"
  else
    ok "open files: $files"
  fi
  data=${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}
  while [ ! -e "$data" ] && [ "$data" != / ]; do data=$(dirname "$data"); done
  if [ -d "$data" ] && [ -w "$data" ]; then
    ok "a place for saves: ${XDG_DATA_HOME:-${HOME-}/.local/share}/shoal"
  else
    note "saves and settings cannot be written below $data" "set XDG_DATA_HOME to a folder of yours"
  fi
}

tools
libraries
program
display
extras
limits
purposes
[ "$ill" = 0 ] && echo "Nothing is missing that games need." || echo "What is MISSING above keeps games from being built or played."
exit "$ill"
