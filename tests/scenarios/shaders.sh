# Passes over the rendered image (shaders.lua): their effects, their uniforms, and error messages.
# needs: release
. "$(dirname "$0")/../lib.sh"
cd "$tmp" || exit 1
export SDL_VIDEODRIVER=offscreen SDL_AUDIODRIVER=dummy

shader() { # shader NAME: writes stdin as the shader of this pass
  cat >"game/assets/shaders/$1.frag.new" && mv "game/assets/shaders/$1.frag.new" "game/assets/shaders/$1.frag"
}
# A grey world with a blue square in screen space, and a pass that replaces grey with a colour.
game() { # game PASSES: creates a game with these passes
  rm -rf game
  mkdir -p game/assets/shaders game/systems
  cat >game/game.lua <<'END'
return { title = "passes", width = 200, height = 100, start = function()
  world.spawn(nil, { transform = { x = 50, y = 50 }, camera = { background = "#808080" } })
end }
END
  cat >game/systems/square.lua <<'END'
return { phase = "render", update = function()
  draw.space("screen")
  draw.colour(0, 0, 1, 1)
  draw.rect(0, 0, 20, 20, true)
end }
END
  printf 'local t = shoal.types\nreturn {\n%s\n}\n' "$1" >game/shaders.lua
  shader paint <<'END'
void main() {
  result = vec4(tint.rgb * strength, 1.0);
}
END
  shader swap <<'END'
void main() {
  result = vec4(texture(image, at).gbr, 1.0);
}
END
}
colour_at() { # colour_at X,Y: prints the colour of this pixel of the image
  magick a.png -crop "1x1+${1%,*}+${1#*,}" txt:- 2>/dev/null || convert a.png -crop "1x1+${1%,*}+${1#*,}" txt:-
}
pixel_is() { # pixel_is X,Y COLOUR
  colour_at "$1" | grep -qi "$2" || fail "the pixel at $1 is $(colour_at "$1" | tail -1), not $2"
}
run_game() {
  run_for 60 "$release" run game --no-watch --ticks 3 --screenshot a.png "$@"
  exits 0
}
paint='  { name = "paint", uniforms = { strength = t.f32(1, { min = 0, max = 2 }), tint = { 1, 0, 0, 1 } } },'
swap='  { name = "swap", covers = "all" },'

drawn() {
  game "$paint"
  run_game
  pixel_is 60,60 '#FF0000'
  pixel_is 10,10 '#0000FF'
  game "$paint $swap"
  run_game
  pixel_is 60,60 '#0000FF' # red after its channels were rotated
  pixel_is 10,10 '#00FF00'
  run_game --exec 'world.single.paint.tint = { 0, 1, 0, 1 } world.single.swap.enabled = false'
  pixel_is 60,60 '#00FF00'
  run_game --exec 'world.single.paint.enabled = false'
  pixel_is 60,60 '#808080'
}
it "shader passes run in order, cover the world or the whole screen, and read uniforms from the world" drawn

uniforms_are_fields() {
  game "$paint"
  run_for 60 "$release" sql game --ticks 2 "UPDATE paint SET strength = 0.5; SELECT strength, \"tint.x\" FROM paint"
  exits 0 out '0.5'
}
it "uniforms of a pass are fields of a singleton" uniforms_are_fields

refused() { # refused PASSES "MESSAGE"
  game "$1"
  run_for 20 "$release" run game --headless --no-watch --ticks 2
  exits 1 err "shaders.lua:" "$2"
}
mistakes() {
  refused '{ name = "piant" },' 'piant: assets/shaders/piant.frag not found: did you mean shaders/paint.frag?'
  refused '{ name = "paint", unifroms = {} },' 'paint has no field unifroms (did you mean uniforms?)'
  refused '{ name = "paint", uniforms = { who = t.string "x" } },' 'paint.who is a string, but a uniform must be f32'
  refused '{ name = "paint", uniforms = { time = 1 } },' 'paint.time: every pass already has a uniform time'
  refused '{ name = "paint", covers = "ui" },' 'paint.covers must be "world"'
  refused '{ name = "transform" },' 'a component transform already exists'
  refused '{ file = "shaders/paint.frag" },' 'pass 1 must have a name of 1 to 40 letters'
  refused 'paint = {},' 'the file must return a list of passes'
}
it "invalid declarations in shaders.lua are reported with their line" mistakes

shader_errors() {
  game "$paint $swap"
  printf 'void main() {\n  result = vec4(tint.rgb * strenth, 1.0);\n}\n' | shader paint
  run_game
  says err "paint.frag:2: the OpenGL driver rejected the shader: "
  pixel_is 60,60 '#808080' # the image is drawn without the invalid pass
  printf '#version 330 core\nvoid main() { result = tint * strength; }\n' | shader paint
  run_game
  says err "(the engine adds this line): remove the line"
  printf 'void main() {\n  while (true) { }\n}\n' | shader paint
  run_game
  says err "paint.frag:2: a loop must have constant bounds"
}
it "a shader error is reported with its line, and the image is drawn without that shader" shader_errors

reloaded_shader() {
  trap stop_program EXIT
  game "$paint"
  launch "$release" run game --watch --log info
  expect_log "seed"
  mark_log
  printf 'void main() {\n  result = vec4(strength, tint.g, nothing, 1.0);\n}\n' | shader paint
  expect_log "paint.frag:2: the OpenGL driver rejected the shader: "
  mark_log
  printf 'void main() {\n  result = vec4(strength, tint.g, 0.0, 1.0);\n}\n' | shader paint
  expect_log "paint.frag"
  mark_log
  printf 'return { { name = "paint", uniforms = { strength = "much" } } }\n' >game/shaders.lua
  expect_log "paint.strength is a string"
  stop_program
}
it "a shader saved while the game runs is reloaded, and errors in the shader or in shaders.lua are reported" reloaded_shader
