# Runs the example for a second, headless, and looks at what became of it.
set -eu
library=${LIBRARY:-thing.so}
said=$("$SHOAL/shoal" run example --headless --strict --plugin "$library" --ticks 60 \
  --exec 'local e = world.spawn(nil, { thing = { value = 21 } }) return shoal.plugins.thing.double(e)')
[ "$said" = 42 ] || { echo "not ok: double gives $said and not 42"; exit 1; }
said=$("$SHOAL/shoal" sql "$PWD/example" "SELECT printf('%.3f', value) FROM thing" --plugin "$library" --ticks 60 | tail -n 1 | tr -d ' ')
[ "$said" = 2.000 ] || { echo "not ok: after a second the value is $said and not 2.000"; exit 1; }
echo "ok: thing grows, and doubles"
