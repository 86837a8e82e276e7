# Pictures of Tiled's maps: Shoal draws what tmxrasterizer, Tiled's own renderer, draws. See lib/tiled_pictures.lua.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy QT_QPA_PLATFORM=offscreen

examples=/usr/share/doc/tiled/examples
pictures="luajit $root/tests/scenarios/lib/tiled_pictures.lua"

# Copies the maps of Tiled's package. Shoal does not draw shapes and objects with a class or name, which become
# entities, so they are hidden. Shoal blends tiles at fractional positions, so the positions of objects are rounded.
# Maps of Tiled 0.8 have a document type, which is removed.
copy_examples() {
  [ -d "$examples" ] || return 0
  cp -r "$examples" game/assets/examples
  chmod -R u+w game/assets/examples
  find game/assets/examples -name '*.gz' -exec gunzip -f {} +
  find game/assets/examples -name '*.tmx' -exec sed -i \
    -e '/<!DOCTYPE/d' -e '/<object /s/ \([xy]\)="\(-\{0,1\}[0-9]*\)\.[0-9]*"/ \1="\2"/g' \
    -e '/<object .* \(name\|type\|template\)=/{s/<object /<object visible="0" /;b' -e '}' \
    -e '/<object .* gid=/!s/<object /<object visible="0" /' {} +
}

# Draws all maps with both programs.
draw() {
  skip_without tmxrasterizer
  rm -rf game tiled page*
  mkdir -p game/assets/sub tiled
  $pictures write . >maps
  [ -z "$LONG" ] || copy_examples
  while IFS='	' read -r name file hidden; do
    [ -e "game/assets/$file" ] || continue
    # shellcheck disable=SC2086
    tmxrasterizer --no-smoothing ${hidden:+--hide-layer $hidden} "game/assets/$file" "tiled/$name.png" >err 2>&1 ||
      fail "tmxrasterizer $file: $(cat err)"
  done <maps
  for page in $(seq "$($pictures pages .)"); do
    $pictures page . "$page"
    run_for 60 "$release" run game --no-watch --ticks 1 --screenshot "page$page.png"
    exits 0
    convert "page$page.png" -depth 8 "rgb:page$page.rgb" || fail "cannot convert page$page.png"
  done
}

compare() { # compare CLASS: compares the pictures of a class of maps
  requires draw
  $pictures compare . "$1"
}

if ! command -v tmxrasterizer >/dev/null; then
  it "Shoal draws Tiled's maps like Tiled" skip_without tmxrasterizer
  exit 0
fi
it "Tiled's renderer and Shoal draw all maps" draw
for class in encodings chunks "render orders" grids flips tilesets layers groups "image layers" "object alignments" \
  objects ${LONG:+package}; do
  it "Shoal draws maps of class $class like Tiled" compare "$class"
done
