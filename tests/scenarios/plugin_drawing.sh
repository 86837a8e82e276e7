# Drawing functions and assets of plugins: images drawn by a plugin, and errors of a plugin that misuses the functions.
# needs: release
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy

compile() { # compile FILE FLAG…: compiles painter.c
  library=$1
  shift
  compile_once "$library" "${CC:-cc}" -std=c11 -O0 -ffp-contract=off -fPIC -shared -I"$root/engine/include" "$@" \
    "$here/painter.c" || fail "painter.c does not compile with $*"
}
compile painter.so
make_game() {
  rm -rf game
  mkdir -p game/plugins game/assets/shaders game/systems
  cat >game/game.lua <<'END'
return { title = "painting", width = 200, height = 100, plugins = { "painter" }, start = function()
  world.spawn(nil, { transform = { x = 50, y = 50 }, camera = { background = "#808080" } })
  world.spawn(nil, { transform = { x = 50, y = 50 }, sprite = {} })
end }
END
  cat >game/systems/over.lua <<'END'
return { phase = "render", update = function()
  draw.space("screen")
  draw.layer(6)
  draw.colour(0, 0, 0, 1)
  draw.rect(10, 0, 5, 5, true)
  draw.layer(4)
  draw.rect(0, 10, 30, 5, true)
end }
END
  echo "1 1 0" >game/assets/wall.dye
  cp painter.so game/plugins/painter.so
}
pixel_is() { # pixel_is X,Y COLOUR: fails unless this pixel of the image has the colour
  { magick a.png -crop "1x1+${1%,*}+${1#*,}" txt:- 2>/dev/null || convert a.png -crop "1x1+${1%,*}+${1#*,}" txt:-; } |
    grep -qi "$2" || fail "the pixel at $1 is not $2: $(cat "$tmp/err")"
}
run_game() {
  run_for 60 "$release" run game --no-watch --ticks 3 --screenshot a.png "$@"
  exits 0
}

drawn() {
  make_game
  run_game
  pixel_is 3,3 '#FF0000' # texels are in the right order
  pixel_is 17,7 '#00FF00'
  pixel_is 3,17 '#0000FF'
  pixel_is 12,2 '#000000'  # a layer above the plugin's layer
  pixel_is 3,12 '#0000FF'  # a layer below the plugin's layer
  pixel_is 25,12 '#000000'
  pixel_is 50,10 '#FFFF00' # the dye from wall.dye
  pixel_is 90,10 '#0080FF' # the plugin's shader, with an offset of five
  pixel_is 97,10 '#0080FF'
  pixel_is 77,10 '#808080'
  pixel_is 130,10 '#00FFFF'
  pixel_is 170,10 '#00FFFF'
}
it "a plugin draws triangles with its own texture and shader, between layers of the game" drawn

columns() {
  run_for 60 "$release" sql game 'SELECT width, frames, flip_y FROM sprite' --ticks 2
  [ "$(tail -n 1 "$tmp/out" | tr -s ' ')" = " 0.5 7 1" ] || fail "$(cat "$tmp/out")"
}
it "a plugin can write columns of built-in components" columns

mistake() { # mistake NAME "MESSAGE"
  MISTAKE=$1 run_for 20 "$release" run game --headless --no-watch --ticks 3
  exits 1 err "$2"
}
mistakes() {
  make_game
  mistake nan "painter.draw: shoal_draw_triangles: all numbers of vertex 1 (count 6) must be finite"
  mistake half "shoal_draw_triangles: the vertex count must be a multiple of 3, got 5"
  mistake gone "the texture never existed, was freed, belongs to a different plugin, or was created before a reload"
  mistake no_shader "shoal_draw_triangles: unknown shader 77"
  mistake no_uniform "shoal_set_uniform: shader tinted has no uniform tnit: did you mean tint?"
  mistake nan_circle "shoal_draw_circle: number 3 of 4 must be finite"
  mistake put_outside "shoal_texture_update: the region of 4 × 4 texels at (1, 1) must be inside texture four of 2 × 2 texels"
  mistake early "painter.update: shoal_draw_triangles cannot be called in a system"
  mistake makes_early "painter.update: shoal_texture_create cannot be called in a system"
  mistake draws_in_open "shoal_draw_circle cannot be called while loading: draw in a system with .phase = SHOAL_PHASE_RENDER"
  mistake no_size "shoal_texture_create: texture four: width and height must be from 1 to 4096 texels, got"
  mistake endless "shoal_shader_create: shader tinted:2: a loop must have constant bounds"
  mistake other_ending "shoal_get_asset: no asset type for wall.die: did you mean .dye?"
  MISTAKE=asks_in_load run_for 20 "$release" run game --headless --no-watch --ticks 3
  exits 0 err "shoal_get_asset cannot be called in \`load\`: an asset must not depend on other assets"
  compile game/plugins/painter.so '-DENDING="dye"'
  mistake none "a file extension must be a dot and one word of 1 to 15 bytes, such as .grass, got “dye”"
}
it "errors in a plugin's drawing calls name the function and the invalid argument" mistakes

refused() {
  make_game
  MISTAKE=driver run_game
  says err "shader tinted:2: the OpenGL driver rejected the shader: "
  pixel_is 90,10 '#808080' # the part with the rejected shader is not drawn
  pixel_is 50,10 '#FFFF00' # the remaining parts are drawn
  rm game/assets/wall.dye
  echo "blue" >game/assets/sky.dye
  run_game
  says err "wall.dye: not found"
  mv game/assets/sky.dye game/assets/wall.dye
  run_game
  says err "assets/wall.dye:1: a dye is three numbers, and not “blue"
  pixel_is 50,10 '#808080'
}
it "a rejected shader or a missing or invalid asset affects only the drawing that uses it" refused

replace() { # replace FILE: replaces this asset atomically with stdin
  cat >"$tmp/new" && mv "$tmp/new" "game/assets/$1"
}
stop_and_check() {
  stop_program
  [ -s a.png ] || fail "no picture"
}
edited() {
  make_game
  rm -f a.png
  launch "$release" run game --watch --log info --screenshot a.png
  trap stop_program EXIT
  expect_log "dye 1"
  echo "red" | replace wall.dye
  expect_log "cannot load assets/wall.dye: assets/wall.dye:1: a dye is three numbers"
  mark_log
  printf 'void main() {\n  result = vec4(nothing);\n}\n' | replace shaders/tinted.frag
  expect_log "assets/shaders/tinted.frag:2: the OpenGL driver rejected the shader: "
  stop_and_check
  pixel_is 50,10 '#FFFF00'
  pixel_is 90,10 '#0080FF'
}
it "after an invalid edit of an asset or a shader the previous version stays in use" edited

changed() {
  make_game
  rm -f a.png
  launch "$release" run game --watch --log info --screenshot a.png
  trap stop_program EXIT
  expect_log "dye 1"
  mark_log
  echo "0 1 0" | replace wall.dye
  expect_log "reloaded assets/wall.dye"
  mark_log
  echo 'void main() { result = cover(tint.bgra); }' | replace shaders/tinted.frag
  expect_log "reloaded assets/shaders/tinted.frag"
  stop_and_check
  pixel_is 50,10 '#00FF00'
  pixel_is 90,10 '#FF8000'
}
it "edits of assets and shaders are shown while the game runs" changed

released() {
  make_game
  MISTAKE=large launch "$release" run game --headless --watch --log info
  trap stop_program EXIT
  expect_log "dye 1"
  echo "red" | replace wall.dye
  for number in 1 2 3 4 5 6 7 8 9 10; do
    mark_log
    { cat painter.so && printf %s "$number"; } >other.so
    mv other.so game/plugins/painter.so
    expect_log "reloaded painter.so in"
  done
  ! log_since_mark | grep -q "are taken" || fail "textures leak"
  log_has "keeping the previous version" || fail "the previous asset was not kept: $(log_since_mark)"
  ! has_exited "$program" || fail "the game ended"
}
it "reloading a plugin ten times leaks no textures and keeps the previous version of an invalid asset" released
