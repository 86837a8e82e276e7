# Exact math (design/0015): LuaJIT, the engine, shared libraries and plugins all use Shoal's own elementary functions
# and its stable qsort.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

names=$(sed -n 's/^EXACT_[A-Z]*(\([a-z0-9]*\),.*/\1 \1f/p' engine/core/base/exact_names.h)
names="$names sincos sincosf qsort"
pattern=$(echo "$names" | tr -s ' \n' '||' | sed 's/|$//')

# If the program left a symbol undefined, the dynamic linker would take it from a shared library.
exports_math() {
  for program in "$release" "$sanitized"; do
    ! nm -D --undefined-only "$program" | grep -E " ($pattern)(@|$)" || fail "undefined in $program"
    for name in $names; do
      nm -D --defined-only "$program" | grep -q " $name\$" || fail "$program does not export $name"
    done
  done
}
it "the program defines and exports its own qsort and math functions" exports_math

# With LD_DEBUG, the dynamic linker prints one line per bound symbol: "binding file A [0] to B [0]: normal symbol `sin'
# [VERSION]"
binds_to_program() {
  LD_DEBUG=bindings LD_BIND_NOW=1 LD_DEBUG_OUTPUT=$tmp/bindings run_for 60 "$release" run scripts/examples/physics --headless --ticks 2 \
    --trust --plugin "$tmp/maths.so"
  exits 0
  cat "$tmp"/bindings.* | grep -E "symbol \`($pattern)'" | sed -n 's/.*binding file \([^ ]*\) .* to \([^ ]*\) .*`\(.*\)'\''.*/\1 \2 \3/p' |
    sort -u >"$tmp/bound"
  rm -f "$tmp"/bindings.*
  grep -q 'sqlite.* exp$' "$tmp/bound" || fail "no bindings in the loader's output: $(head "$tmp/bound")"
  elsewhere=$(awk '$2 !~ /\/bin\/shoal$/ && $1 !~ /\/lib[cm]\.so/' "$tmp/bound")
  [ -z "$elsewhere" ] || fail "bound to other libraries: $elsewhere"
}
${CC:-cc} -std=c11 -O2 -ffp-contract=off -fPIC -shared -Iengine/include -o "$tmp/maths.so" tests/scenarios/plugins/maths.c
it "shared libraries bind to the program's math functions" binds_to_program

# A plugin contains functions with these names, to which its static libraries are bound, too (shoal/math.h).
binds_inside_plugins() {
  plugins=tests/scenarios/plugins
  for compiler in "${CC:-cc} -std=c11" "${CXX:-c++} -x c++ -std=c++17 -Wno-missing-field-initializers" "clang -std=c11"; do
    command -v "${compiler%% *}" >/dev/null || continue
    for options in -O0 "-O2 -flto" "-O1 -fsanitize=undefined" -O2; do
      case $compiler$options in clang*flto) continue ;; esac # requires a different linker
      # shellcheck disable=SC2086
      ${CC:-cc} -std=c11 $options -fPIC -c -o "$tmp/library.o" $plugins/maths_library.c &&
        $compiler $options -Wall -Wextra -Wconversion -Werror -fPIC -Iengine/include -c -o "$tmp/caller.o" $plugins/maths_caller.c &&
        rm -f "$tmp/library.a" && ar rcs "$tmp/library.a" "$tmp/library.o" &&
        ${compiler%% *} $options -shared -o "$tmp/maths_caller.so" "$tmp/caller.o" "$tmp/library.a" -lm ||
        fail "does not compile with $compiler $options"
      ! nm -D --undefined-only "$tmp/maths_caller.so" | grep -E " ($pattern)(@|$)" ||
        fail "bound to another library with $compiler $options"
    done
  done
  ! nm -D --undefined-only "${release%/bin/shoal}"/plugins/*.so | grep -E " ($pattern)(@|$)" || fail "undefined in a shipped plugin"
  run_for 60 "$release" run tests/scenarios/games/parked --headless --ticks 1 --trust --plugin "$tmp/maths_caller.so" \
    --exec 'shoal.plugins.maths_caller.compute(1.5) > 0 and "computed"'
  exits 0 out computed
}
it "plugins and the static libraries in them bind to Shoal's math functions when they are linked" binds_inside_plugins

# Lua, C with libm's names and C with Shoal's names must give the same bits (compared with 17 significant digits).
matches_lua() {
  run_for 60 "$release" run tests/scenarios/games/parked --headless --ticks 1 --trust --plugin "$tmp/maths.so" --exec '(function()
    local bad, n = {}, 0
    for i = -200, 200 do
      for _, y in ipairs { 0, -0.5, 0.5, 1, 2, 3, 7.25, -1/0 } do
        local x = i * 0.37
        local lua = { math.sin(x), math.cos(x), math.exp(x), math.log(x), x ^ y, math.atan2(x, y) }
        local c = shoal.plugins.maths.compute(x, y)
        for k = 1, 6 do
          n = n + 1
          local same = string.format("%.17g", lua[k])
          if same:gsub("-nan", "nan") ~= string.format("%.17g", c[k]):gsub("-nan", "nan") or c[k] ~= c[k + 6] and c[k] == c[k] then
            bad[#bad + 1] = k .. "(" .. x .. ", " .. y .. ")"
          end
        end
      end
    end
    return n .. " values, wrong: " .. table.concat(bad, " ", 1, math.min(#bad, 5))
  end)()'
  exits 0 out "19248 values, wrong: "
  ! grep -q 'wrong: [^ ]' "$tmp/out" || fail "$(tail -n 2 "$tmp/out")"
}
it "a plugin computes the same values as Lua, with the function names of libm or of Shoal" matches_lua

stable_sort() {
  run_for 60 "$release" run tests/scenarios/games/parked --headless --ticks 1 --trust --plugin "$tmp/maths.so" --exec '(function()
    local list = shoal.plugins.maths.order()
    for i = 1, 100 do if list[i] ~= i - 1 then return "out of order at " .. i end end
    return "in order"
  end)()'
  exits 0 out "in order"
}
it "qsort in a plugin is stable" stable_sort
