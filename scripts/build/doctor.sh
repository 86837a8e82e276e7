# ./shoal doctor: checks this machine for the software needed to play, build, package and test, and prints how to
# install missing software. Sourced by ./shoal. Prints one line per check: `ok`, `note` (games run without it) or
# `MISSING` (exit code 1).
exit_code=0
ok() { printf 'ok       %s\n' "$1"; }
note() { printf 'note     %s\n         → %s\n' "$1" "$2"; }
missing() { exit_code=1; printf 'MISSING  %s\n         → %s\n' "$1" "$2"; }

install_hint() { # install_hint PACKAGE…: prints the command that installs the packages
  if have apt-get; then echo "apt-get install $*"; else echo "install it with your package manager ($* on Debian); ./shoal deps lists the names"; fi
}

tools() {
  for pair in "${CC:-cc}:gcc libc6-dev" make:make pkg-config:pkg-config; do
    if have "${pair%%:*}"; then ok "${pair%%:*}, to build"; else missing "no ${pair%%:*}, to build" "$(install_hint ${pair#*:})"; fi
  done
  if have premake5 || have premake4; then ok "premake, to build"; else missing "no premake, to build" "$(install_hint premake4)"; fi
}

libraries() {
  have pkg-config || return 0
  lacking=
  for pair in sdl2:libsdl2-dev freetype2:libfreetype-dev harfbuzz:libharfbuzz-dev \
    fribidi:libfribidi-dev epoxy:libepoxy-dev libzstd:libzstd-dev \
    sqlite3:libsqlite3-dev jansson:libjansson-dev expat:libexpat1-dev zlib:zlib1g-dev minizip:libminizip-dev libwebp:libwebp-dev libwebpmux:libwebp-dev sleef:libsleef-dev libmd:libmd-dev libsodium:libsodium-dev \
    libarchive:libarchive-dev; do
    pkg-config --exists "${pair%%:*}" 2>/dev/null || lacking="$lacking ${pair#*:}"
  done
  if [ -z "$lacking" ]; then
    ok "libraries to build with"
  else
    missing "libraries to build with:$lacking" "run ./shoal deps, or $(install_hint $lacking)"
  fi
}

# Runs an empty game that renders to memory, and reads its graphics driver and sound device from the log.
program() {
  shoal=$root/$built/release/bin/shoal
  if [ ! -x "$shoal" ]; then
    note "not built yet: graphics and sound are not checked" "run ./shoal build, then ./shoal doctor again"
    return
  fi
  if have ldd && ldd "$shoal" 2>/dev/null | grep -q 'not found'; then
    missing "missing libraries: $(ldd "$shoal" | sed -n 's/[ \t]*\(.*\) => not found/\1/p' | tr '\n' ' ')" "run ./shoal deps, then ./shoal build"
    return
  fi
  output=$(SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} "$shoal" run "$root/scripts/templates/empty" --ticks 2 --no-watch \
    --no-cockpit --history 0 --log debug 2>&1 </dev/null) && status=0 || status=$?
  renderer=$(echo "$output" | sed -n 's/.*render: \(.*, OpenGL .*\)/\1/p' | head -n 1)
  case $renderer in
    '') missing "no OpenGL 3.3: $(echo "$output" | sed -n 's/^error: //p' | head -n 1)" \
      "install the driver of the graphics card, or Mesa: $(install_hint libgl1-mesa-dri)" ;;
    *llvmpipe* | *softpipe* | *swrast*) note "OpenGL without a graphics card: $renderer" \
      "games run slowly; if there is a graphics card, install its driver: $(install_hint libgl1-mesa-dri)" ;;
    *) ok "OpenGL: $renderer" ;;
  esac
  [ -z "$renderer" ] || [ "$status" = 0 ] ||
    missing "cannot run an empty game" "$(echo "$output" | sed -n 's/^error: //p' | head -n 1)"
  sound_error=$(echo "$output" | sed -n 's/.*no sound device, playing silently: //p' | head -n 1)
  if [ -n "$sound_error" ]; then
    note "no sound: $sound_error" "games run without sound; start a sound server such as PipeWire or PulseAudio in your session"
  elif [ -n "$renderer" ]; then
    ok "sound"
  fi
}

display() {
  if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
    ok "display: ${WAYLAND_DISPLAY:-$DISPLAY}"
  else
    note "no display (neither DISPLAY nor WAYLAND_DISPLAY is set)" "start a desktop session; without a display, run games with --headless, or set SDL_VIDEODRIVER=offscreen for --screenshot"
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
    ok "LLVM ($found), to compile systems to machine code"
  else
    note "no LLVM: systems run only in LuaJIT, some of them more slowly" "$(install_hint libllvm15)"
  fi
  browser=
  for name in firefox chromium chromium-browser google-chrome xdg-open; do
    [ -n "$browser" ] || ! have $name || browser=$name
  done
  if [ -n "$browser" ]; then
    ok "browser, for the cockpit and the documentation ($browser)"
  else
    note "no browser for the cockpit and the documentation" "$(install_hint firefox-esr)"
  fi
}

# needs PURPOSE PROGRAM[/ALTERNATIVE]=PACKAGE=USE…: checks the programs required for a task other than playing. An
# absolute path is checked as a file.
needs() {
  purpose=$1 all= lacking= packages=
  shift
  for need in "$@"; do
    programs=${need%%=*} package=${need#*=} found=
    use=${package#*=} package=${package%%=*}
    case $programs in
      /*) [ ! -e "$programs" ] || found=yes ;;
      *) for program in $(echo "$programs" | tr / ' '); do ! have "$program" || found=yes; done ;;
    esac
    shown=${programs%%/*}
    [ -n "$shown" ] || shown=${programs##*/}
    all="$all${all:+, }$shown"
    [ -n "$found" ] || { lacking="$lacking${lacking:+, }$shown ($use)" packages="$packages${packages:+ }$package"; }
  done
  # shellcheck disable=SC2086
  if [ -z "$lacking" ]; then ok "$purpose: $all"; else note "$purpose: no $lacking" "$(install_hint $packages)"; fi
}

purposes() {
  needs "./shoal serve with --db postgres://…" \
    "/usr/lib/$(uname -m)-linux-gnu/libpq.so.5//usr/lib64/libpq.so.5=libpq5=connects to PostgreSQL"
  needs "./shoal clip with .mp4 or .gif" "ffmpeg=ffmpeg=encodes videos"
  needs "./shoal docs" "pandoc=pandoc=builds the documentation"
  needs "./shoal package" "readelf=binutils=finds the libraries of a program" "zstd=zstd=compresses the archive" \
    "dpkg-source=dpkg-dev=unpacks SDL's sources"
  needs "./shoal package --baseline, as root" "debootstrap=debootstrap=sets up Debian 11 for the build"
  needs "./shoal package --for linux-arm64" "aarch64-linux-gnu-g++=g++-aarch64-linux-gnu=compiles for arm64" \
    "tclsh=tcl=builds SQLite"
  needs "running packages for arm64 (tests/scenarios/arm64.sh)" \
    "qemu-aarch64/qemu-aarch64-static=qemu-user=runs arm64 programs"
  needs "./shoal test" "g++=g++=builds plugins in C++" "luajit=luajit=runs test scripts" "cmake=cmake=builds programs that embed Shoal" \
    "/usr/include/cmocka.h=libcmocka-dev=builds unit tests" "Xvfb=xvfb=provides a display" \
    "xauth=xauth=authorizes access to that display" \
    "xdotool=xdotool=simulates keys and clicks" "import=imagemagick=compares images" "luacheck=lua-check=lints Lua" \
    "clang-format=clang-format=formats C" "clang-tidy=clang-tidy=lints C" \
    "chromium/chromium-browser=chromium=tests the cockpit and the documentation" \
    "tmxrasterizer=tiled=draws Tiled's maps" "ip=iproute2=connects network namespaces" \
    "nft=nftables=loses datagrams between them"
  if have lua-language-server; then
    ok "completion in editors: lua-language-server"
  else
    note "completion in editors: no lua-language-server in PATH" \
      "install your editor's Lua extension (sumneko.lua in VS Code), which includes it; Debian has no package of it"
  fi
}

limits() {
  watches=$(cat /proc/sys/fs/inotify/max_user_watches 2>/dev/null || echo 0)
  instances=$(cat /proc/sys/fs/inotify/max_user_instances 2>/dev/null || echo 0)
  if [ "$watches" = 0 ]; then
    note "no inotify" "changed files are detected by polling, with a short delay"
  elif [ "$watches" -lt 8192 ] || [ "$instances" -lt 64 ]; then
    note "low inotify limits: $watches watches, $instances instances" \
      "run as root: sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512"
  else
    ok "inotify: $watches watches, $instances instances"
  fi
  files=$(ulimit -n)
  if [ "$files" != unlimited ] && [ "$files" -lt 256 ]; then
    note "low limit of open files: $files" "run ulimit -n 1024"
  else
    ok "open files: $files"
  fi
  data=${XDG_DATA_HOME:-${HOME:-/nonexistent}/.local/share}
  while [ ! -e "$data" ] && [ "$data" != / ]; do data=$(dirname "$data"); done
  if [ -d "$data" ] && [ -w "$data" ]; then
    ok "folder for saves: ${XDG_DATA_HOME:-${HOME-}/.local/share}/shoal"
  else
    note "cannot write saves and settings below $data" "set XDG_DATA_HOME to a writable folder"
  fi
}

tools
libraries
program
display
extras
limits
purposes
if [ "$exit_code" = 0 ]; then
  echo "This machine can build and play games."
else
  echo "Games cannot be built or played until everything marked MISSING is installed."
fi
exit "$exit_code"
