# The same worlds on arm64: cross-built, and run headless under an emulator (qemu-user). Only with --long; by hand:
# LONG=1 sh tests/scenarios/arm64.sh. What it needs it installs (the cross compiler, the emulator) or unpacks into
# build/arm64 (the libraries, from the package sources that this machine knows), without touching what is installed.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
arm64=$root/build/arm64
sysroot=$arm64/sysroot
libraries=$sysroot/usr/lib/aarch64-linux-gnu

# ---- what costs nothing

# Each place that asks for the processor has a form for arm64, or one for all others.
asks() {
  asking='__x86_64__|__SSE|__AVX|_mm_|__builtin_ia32'
  for file in $(grep -rE "$asking" engine --include='*.[ch]' | grep -v '#undef' | cut -d: -f1 | sort -u); do
    grep -qE '__aarch64__|^#else' "$file" || fail "$file has a form for x86-64 alone"
  done
  # (In code: a comment may say why there is none.)
  # (native/codegen.c asks how wide vectors may be; design/0042 says why no bit depends on that.)
  ! grep -rnE '^([^/]|/[^/])*(long double|__builtin_cpu_)' engine --include='*.[ch]' | grep -v '^engine/native/codegen.c:' ||
    fail "results may depend on the processor"
  ! grep -nE 'march=|fast-math|mfma|mavx' premake5.lua || fail "results may depend on the processor"
}
it "what is written for a processor has a form for the others" asks

# ---- getting it

missing() {
  echo "skipped arm64: $*"
  exit 0
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_tools() {
  absent=
  command -v aarch64-linux-gnu-gcc >/dev/null || absent="gcc-aarch64-linux-gnu"
  command -v qemu-aarch64 >/dev/null || absent="$absent qemu-user"
  command -v dpkg-source >/dev/null || absent="$absent dpkg-dev"
  [ -z "$absent" ] && return
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-remove --no-install-recommends $absent
}

# apt for another processor, with folders of its own: it knows the sources of this machine and nothing of what is
# installed here.
describe_apt() {
  mkdir -p "$arm64/apt/lists/partial" "$arm64/apt/cache/archives/partial" "$arm64/apt/sources"
  : >"$arm64/apt/status"
  cat >"$arm64/apt/conf" <<EOF
Dir::State "$arm64/apt";
Dir::State::lists "$arm64/apt/lists";
Dir::State::status "$arm64/apt/status";
Dir::Cache "$arm64/apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$arm64/apt/sources";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
EOF
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    to=$arm64/apt/sources/$(basename "$file")
    case $file in
      *.sources) sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$to" ;;
      *.list) sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' "$file" >"$to" ;;
    esac
  done
}

private_apt() {
  APT_CONFIG=$arm64/apt/conf apt-get "$@"
}

# Links from the root of the system lead to that of the other one.
mend_links() {
  find "$sysroot" -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
  done
}

# Debian's Chipmunk for arm64 makes one instruction of a product and a sum; this one does not.
build_chipmunk() {
  rm -rf "$arm64/chipmunk"
  mkdir -p "$arm64/chipmunk"
  (
    cd "$arm64/chipmunk" && private_apt source -q --download-only chipmunk || exit 1
    dpkg-source -x chipmunk_*.dsc source || exit 1
    # shellcheck disable=SC2086
    $CC -std=gnu99 -O2 -DNDEBUG -w -ffp-contract=off -fPIC -shared -Isource/include -Wl,-soname,libchipmunk.so.7 \
      -o libchipmunk.so.7 source/src/*.c -lm -lpthread
  ) && cp "$arm64/chipmunk/libchipmunk.so.7" "$(realpath "$libraries/libchipmunk.so")"
}

unpack_libraries() {
  wanted=$(sed -n '/^player_packages="/,/"$/p' shoal | tr -s ' "' '\n\n' | grep '^lib.*-dev$'; echo libcmocka-dev)
  [ "$wanted" = "$(cat "$arm64/.packages" 2>/dev/null)" ] && return
  rm -rf "$sysroot" "$arm64/release" "$arm64/.packages"
  mkdir -p "$sysroot"
  describe_apt
  # shellcheck disable=SC2086
  private_apt update -q && private_apt install -y -q --download-only --no-install-recommends $wanted || return 1
  for package in "$arm64"/apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$sysroot" || return 1
  done
  mend_links
  build_chipmunk || return 1
  echo "$wanted" >"$arm64/.packages"
}

# ---- building it

build() {
  export SHOAL_BUILD=build/arm64 SHOAL_SYSROOT="$sysroot"
  export PKG_CONFIG_SYSROOT_DIR="$sysroot" PKG_CONFIG_LIBDIR="$libraries/pkgconfig:$sysroot/usr/share/pkgconfig"
  export PKG_CONFIG_SYSTEM_LIBRARY_PATH="$libraries"
  premake=premake4
  command -v premake5 >/dev/null && premake=premake5
  flags=$(cksum premake5.lua)
  [ "$flags" = "$(cat "$arm64/.flags" 2>/dev/null)" ] || rm -rf "$arm64/release"
  rm -rf "$arm64/release/lib" # an archive keeps what it once took in
  "$premake" --file=premake5.lua gmake || return 1
  plugins=$(for file in engine/plugins/*/; do echo "plugin_$(basename "$file")"; done)
  # shellcheck disable=SC2086
  make --no-print-directory -C build/arm64 -j"$(nproc)" config=release "CC=$CC" AR=aarch64-linux-gnu-ar \
    shoal unit $plugins || return 1
  echo "$flags" >"$arm64/.flags"
}

[ -n "$LONG" ] || exit 0
case ${FILTER-} in '' | *arm64*) ;; *) exit 0 ;; esac # FILTER="arm64: unit" for a part of it
export CC="aarch64-linux-gnu-gcc --sysroot=$sysroot"
command -v apt-get >/dev/null || missing "there is no apt-get here to get the libraries for arm64 with"
mkdir -p "$arm64"
install_tools >"$tmp/tools" 2>&1 || missing "neither the cross compiler nor the emulator: $(tail -n 1 "$tmp/tools")"
unpack_libraries >"$tmp/libraries" 2>&1 || missing "its libraries cannot be had: $(tail -n 1 "$tmp/libraries")"
if build >"$tmp/build" 2>&1; then
  echo "ok it is built for arm64"
else
  echo "not ok it is built for arm64: $(tail -n 20 "$tmp/build" | sed '2,$s/^/  /')"
  exit 0
fi

# ---- running it

emulator="qemu-aarch64 -L $sysroot"

# An emulator is slow: no script is stopped for that, and what is full of birds and fish gets fewer of them.
ticks=600

fewer() { # fewer GAME: in a copy
  rm -rf "$tmp/fewer"
  cp -r "$1" "$tmp/fewer"
  sed -i -e 's/sea.fill(20000)/sea.fill(500)/' -e 's/"starling", 2000/"starling", 200/' "$tmp/fewer/game.lua"
  ! cmp -s "$1/game.lua" "$tmp/fewer/game.lua" || fail "there are as many as before"
  game=$tmp/fewer
}

# hashes FILE PROGRAM…: of $game
hashes() {
  file=$1
  shift
  run_for 1800 "$@" run "$game" --trust --headless --no-watch --seed 1 --ticks "$ticks" --hash every=$((ticks / 6)) \
    --budget 0
  exits 0
  grep '^tick [0-9]* hash [0-9a-f]*$' "$tmp/out" >"$tmp/$file"
  [ "$(wc -l <"$tmp/$file")" = 6 ] || fail "not 6 hashes: $(cat "$tmp/out")"
}

same() {
  game=$1
  case $1 in */boids | */spatial) fewer "$1" ;; esac
  hashes here "$release"
  # shellcheck disable=SC2086
  hashes there $emulator "$arm64/release/bin/shoal"
  cmp -s "$tmp/here" "$tmp/there" || fail "$(diff "$tmp/here" "$tmp/there" | head -n 4)"
}
for game in scripts/games/*/ scripts/examples/*/; do
  game=${game%/}
  [ -e "$game/game.lua" ] && it "$game: the hashes of x86-64, for $ticks ticks" same "$game"
done

# The expressions of tests/numbers without -0, which LuaJIT's whole numbers do not have there (design/0020).
numbers() {
  rm -rf "$tmp/numbers"
  cp -r tests/numbers "$tmp/numbers"
  sed -i -e 's/  local v = %s/  local v = (%s) + 0/' -e 's/    return how == 1/    v = v + 0\n&/' "$tmp/numbers/systems/evaluate.lua"
  sed -i 's/ 0, -0, / 0, 0, /' "$tmp/numbers/values.lua"
  for program in "$release" "$emulator $arm64/release/bin/shoal"; do
    # shellcheck disable=SC2086
    run_for 600 $program run "$tmp/numbers" --headless --no-watch --seed 1 --budget 0 --ticks 1
    [ "$(wc -l <"$tmp/out")" = 1000 ] || fail "$(tail -n 3 "$tmp/err")"
    [ -z "${before-}" ] || cmp -s "$before" "$tmp/out" || fail "$(diff "$before" "$tmp/out" | head -n 8)"
    before=$tmp/first
    mv "$tmp/out" "$before"
  done
}
it "a thousand random expressions mean the same" numbers

# The tests in C and in Lua, which print their own lines.
export SDL_AUDIODRIVER=dummy
for group in $(sed -n 's/^ *TEST_GROUP(\([a-z0-9_]*\)).*/\1/p' tests/unit/list.h); do
  wanted "unit $group" || continue
  status=0
  UNIT="$emulator $arm64/release/bin/unit" timeout 300 tests/checks unit "$group" >"$tmp/unit" 2>&1 || status=$?
  sed -n -E "s/^((not )?ok) (.*)/\1 unit $group: \3/p" "$tmp/unit"
  grep -q '^ok ' "$tmp/unit" || echo "not ok unit $group: exit status $status: $(tail -n 2 "$tmp/unit")"
done
minus_zero="ceil of a small negative number is -0|max and min give the second of two that are equal or not to be compared"
if wanted "lua"; then # LuaJIT's whole numbers have no -0 there (design/0020)
  # shellcheck disable=SC2086
  run_for 1200 $emulator "$arm64/release/bin/shoal" run tests/lua --headless --budget 0
  sed -n -E -e "s/^not ok ($minus_zero):.*/skipped arm64: \1 (no -0)/p" -e t -e 's/^((not )?ok) (.*)/\1 lua: \3/p' "$tmp/out"
  [ "$(grep -c -E '^(not )?ok ' "$tmp/out")" -gt 100 ] || echo "not ok lua: exit status $status: $(tail -n 3 "$tmp/err")"
fi
