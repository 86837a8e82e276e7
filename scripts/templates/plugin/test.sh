# Runs the example for one second without a window and checks the function and the final value.
set -eu
library=${LIBRARY:-thing.so}
result=$("$SHOAL/shoal" run example --headless --strict --plugin "$library" --ticks 60 \
  --exec 'local e = world.spawn(nil, { thing = { value = 21 } }) return shoal.plugins.thing.double(e)')
[ "$result" = 42 ] || { echo "not ok: double returned $result, expected 42"; exit 1; }
result=$("$SHOAL/shoal" sql "$PWD/example" "SELECT printf('%.3f', value) FROM thing" --plugin "$library" --ticks 60 | tail -n 1 | tr -d ' ')
[ "$result" = 2.000 ] || { echo "not ok: the value after one second is $result, expected 2.000"; exit 1; }
echo "ok: thing grows, and doubles"
