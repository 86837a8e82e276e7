# Plugins that misuse the process (exit, fork, stack overflow, floating-point mode, locale, …): each misuse is reported
# with the plugin's name or has no effect. engine/docs/plugin_failures.md lists what cannot be caught.
# needs: release sanitize
. "$(dirname "$0")/../lib.sh"
here=$root/tests/scenarios/plugins
game=$tmp/game
cd "$tmp" || exit 1

compile() { # compile SOURCE FLAG…
  source=$1
  shift
  compile_once "$game/plugins/$source.so" "${CC:-cc}" -std=c11 -O2 -ffp-contract=off -fPIC -shared \
    -I"$root/engine/include" "$@" "$here/$source.c" || fail "$source.c does not compile with $*"
}

create_game() { # create_game PLUGIN COUNT: a game with COUNT entities
  rm -rf "$game"
  mkdir -p "$game/plugins" "$game/systems"
  echo "return { title = 'Hostile', plugins = { '$1' }, start = function() world.spawn_many('stove', $2) end }" >"$game/game.lua"
  echo 'return { mark = { value = 1 } }' >"$game/components.lua"
  echo 'return { stove = { components = { mark = {} } } }' >"$game/assemblages.lua"
  echo 'return { query = { "mark" }, update = function(q) for i = 1, q.count do q.mark.value[i] = q.mark.value[i] + 1 end
    if world.tick == 4 then print("marks " .. q.mark.value[1]) end end }' >"$game/systems/marks.lua"
}

run_body() { # run_body COUNT C_CODE FLAG…: runs eight ticks with the plugin odd, whose system executes the C code
  count=$1 body=$(printf '%s' "$2" | tr '\n' ' ')
  shift 2
  create_game odd "$count"
  compile odd "-DBODY=$body" "$@"
  rm -f "$tmp"/*.crash.txt
  run_for 30 "$release" run "$game" --headless --ticks 8 --workers 2
}

# ends_with_report TEXT COUNT C_CODE FLAG…: the program must end with a crash report that contains TEXT and the plugin's
# name
ends_with_report() {
  text=$1
  shift
  run_body "$@"
  [ "$status" -gt 0 ] && [ "$status" -ne 124 ] && [ "$status" -ne 137 ] || fail "exit status $status"
  grep -qF -- "$text" shoal-?.crash.txt || fail "$(cat "$tmp/err" "$tmp"/*.crash.txt)"
  grep -q '^running: plugin odd, system' shoal-?.crash.txt || fail "$(cat shoal-?.crash.txt)"
}
deep='if (shoal_tick(c) == 3) { volatile char x[4096]; x[0] = 1;
  ((void (*volatile)(shoal_context *, const shoal_view *, float))work)(c, v, dt_s); x[1] = x[0]; }'
# The parts of a parallel system run on the main thread in its first four runs (part_check.h).
elsewhere='if (shoal_tick(c) == 6 && v->first > 0)'
it "exit() in a plugin terminates the program with a crash report" ends_with_report "the plugin function called exit()" 5 'if (shoal_tick(c) == 3) exit(0);'
it "quick_exit() in a parallel system terminates the program with a crash report" ends_with_report "the plugin function called exit()" 40000 \
  "$elsewhere quick_exit(0);" '-DSYSTEM=.name = "work", .parallel = true'
it "pthread_exit() in a system terminates the program with a crash report" ends_with_report "the plugin function terminated the calling thread" 5 \
  'if (shoal_tick(c) == 3) pthread_exit(NULL);' '-DINCLUDE=<pthread.h>'
it "pthread_exit() on a worker thread terminates the program with a crash report" ends_with_report "the plugin function terminated the calling thread" 40000 \
  "$elsewhere pthread_exit(NULL);" '-DINCLUDE=<pthread.h>' '-DSYSTEM=.name = "work", .parallel = true'
it "abort() in a plugin terminates the program with a crash report" ends_with_report "signal: 6 (SIGABRT" 5 'if (shoal_tick(c) == 3) abort();'
it "a stack overflow in a plugin terminates the program with a crash report" ends_with_report "signal: 11 (SIGSEGV" 5 "$deep"
it "a stack overflow on a worker thread terminates the program with a crash report" ends_with_report \
  "signal: 11 (SIGSEGV" 40000 "$(printf '%s' "$deep" | sed 's/== 3/== 6 \&\& v->first > 0/')" \
  '-DSYSTEM=.name = "work", .parallel = true'
it "a failed allocation through the host terminates the program with a crash report" ends_with_report "signal: 6 (SIGABRT" 5 'if (shoal_tick(c) == 3) shoal_realloc(c, NULL, 0, (size_t)1 << 60);'

# continues MESSAGE COUNT C_CODE FLAG…: the game must keep running and print this message
continues() {
  message=$1
  shift
  run_body "$@"
  exits 0
  # A child process may still run when the program has exited.
  [ -z "$message" ] || wait_for 20 grep -qF -- "$message" "$tmp/err" || says err "$message"
  [ "$(cat "$tmp/out")" = "marks 6" ] || fail "expected one process to finish, got: $(cat "$tmp/out" "$tmp/err")"
}
rules="plugin odd: a call changed the floating-point mode (rounding, subnormal numbers): the mode was restored (reported once)"
it "the rounding mode is restored after a plugin has changed it" continues "$rules" 5 'if (shoal_tick(c) == 2) fesetround(FE_UPWARD);' '-DINCLUDE=<fenv.h>' -lm
it "the rounding mode is restored after a plugin has changed it on a worker thread" continues "$rules" 40000 \
  'if (shoal_tick(c) == 6) fesetround(FE_UPWARD);' '-DINCLUDE=<fenv.h>' \
  '-DSYSTEM=.name = "work", .parallel = true' -lm
it "a child process forked by a plugin exits instead of running the game" continues "a plugin forked and returned in the child process" 5 \
  'if (shoal_tick(c) == 3) fork();' '-DINCLUDE=<unistd.h>'
it "a shoal_parallel_for callback cannot change the world" continues \
  "plugin odd: the world cannot be changed in parts of shoal_parallel_for: change it after shoal_parallel_for returns (reported once)" 5 \
  'struct held held = {c, e}; shoal_parallel_for(c, part, &held, 64);' "-DHELPERS=$(tr '\n' ' ' <<'END'
struct held { shoal_context *c; shoal_entity e; };
static void part(void *data, uint32_t number, uint32_t worker) {
  struct held *h = data; (void)number, (void)worker;
  shoal_spawn_many(shoal_get_world(h->c), "stove", 10, NULL); shoal_destroy(shoal_get_world(h->c), h->e); shoal_random_u32(h->c);
  shoal_add_instance(shoal_get_world(h->c), h->e, &note_component, "x"); }
END
)"

standard_files() {
  run_body 5 'if (shoal_tick(c) == 2) { close(0); close(1); close(2); }
    if (shoal_tick(c) == 4) for (int i = 0; i < 3; ++i) if (fcntl(i, F_GETFD) < 0) abort();' '-DINCLUDE=<fcntl.h>' -include unistd.h
  exits 0
}
it "standard streams that a plugin has closed are open again two ticks later" standard_files

# With a German locale, saves and recordings would contain decimal commas.
decimal_comma() {
  localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>"$tmp/why" || [ -d "$tmp/de_DE.UTF-8" ] || fail "$(cat "$tmp/why")"
  export LOCPATH="$tmp"
  continues "a call changed the numeric locale (setlocale): the locale was restored" 5 \
    'if (shoal_tick(c) == 2 && !setlocale(LC_ALL, "de_DE.UTF-8")) abort();
     if (shoal_tick(c) == 3 && *localeconv()->decimal_point != 46) abort();' '-DINCLUDE=<locale.h>'
}
if command -v localedef >/dev/null && [ -e /usr/share/i18n/locales/de_DE ]; then
  it "the numeric locale is restored after a plugin has changed it" decimal_comma
fi

# is_parked MESSAGE C_CODE FLAG…: the system must be parked with this message, and the game must keep running
is_parked() {
  message=$1
  shift
  run_body 5 "$@"
  exits 1 err "$message"
  says out "marks "
}
marks='float *m = (float *)v->terms[0].columns[0];'
it "a system that writes a component declared in .reads is parked" is_parked "error in plugin odd.work: the system writes mark.value, which is read-only, because .reads names it" \
  "$marks if (shoal_tick(c) == 2) m[0] = 77;" '-DSYSTEM=.name = "work", .reads = {"mark"}' -DUSES_MARK
it "a parallel system that writes rows outside its part is parked" is_parked \
  "error in plugin odd.work: a part of the system writes badge.value outside its rows" \
  'if (shoal_tick(c) == 2)
     ((float *)shoal_get_rows(shoal_get_world(c), &badge_component).columns[0])[0] += (float)v->count;' \
  -DDECLARE=SHOAL_SINGLE '-DSYSTEM=.name = "work", .parallel = true'
it "a system that writes in the render phase is parked" is_parked "error in plugin odd.work: the system writes mark.value, which is read-only in the render phase" \
  "$marks if (shoal_tick(c) == 2) m[0] = 77;" '-DSYSTEM=.name = "work", .phase = SHOAL_PHASE_RENDER' -DUSES_MARK

# Lists and strings that a plugin function returns must be in memory of the host.
invalid_results() {
  create_game lists 5
  compile lists "$@"
  echo 'return { update = function() if world.tick == 2 then
    print(select(2, pcall(shoal.plugins.lists.wild, 1))) print(select(2, pcall(shoal.plugins.lists.wild, 2)))
    print(select(2, pcall(shoal.plugins.lists.wild, 3))) print(select(2, pcall(shoal.plugins.lists.wild, 4))) end end }' >"$game/systems/ask.lua"
  run_for 30 "$release" run "$game" --headless --ticks 5
  exits 0
  [ "$(grep -c 'lists.wild: results must be in the host' "$tmp/out")" = 4 ] || fail "$(cat "$tmp/out" "$tmp/err")"
}
it "a plugin function cannot return pointers to its own memory or ranges longer than their buffer" invalid_results

# All values that scripts can pass as a list, in a build that detects reads past their end.
list_arguments() {
  create_game lists 30
  compile lists -fsanitize=address,undefined -fno-omit-frame-pointer
  cp "$here/lists.lua" "$game/systems/lists.lua"
  for fence in "" 1; do
    status=0
    SHOAL_FENCE=$fence ASAN_OPTIONS=detect_leaks=0 timeout -k 2 $((6 * SLOW)) env ${fence:+SHOAL_FENCE=1} "$sanitized" run "$game" --headless --ticks 12 \
      >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
    exits 0
    ! grep 'Sanitizer\|runtime error' "$tmp/err" || fail "$(cat "$tmp/err")"
    says out "lists were tried"
  done
}
it "list arguments of any type and length, and stale columns and results, cause no sanitizer error" list_arguments

# The watchdog stops the script that opens the plugin, but only after the plugin's function has returned.
slow_open() {
  create_game odd 5
  compile odd '-DINCLUDE=<time.h>' '-DOPEN=for (clock_t from = clock(); clock() - from < CLOCKS_PER_SEC / 4;) continue'
  rm -f "$tmp"/*.crash.txt
  run_for 30 "$release" run "$game" --headless --ticks 5 --budget 5
  exits 1 err "cannot start: stopped after 50 ms (--budget)"
  if grep "crash:" "$tmp/err"; then fail "$(cat "$tmp/err")"; fi
  run_for 30 "$release" run "$game" --headless --ticks 5 --budget 1000
  exits 0 out "marks 6"
}
it "the script watchdog does not interrupt the function open of a plugin" slow_open

# Constructors and destructors of a library: the calls that tests/unit/plugin_calls_test.c cannot make.
spend='for (clock_t from = clock(); clock() - from < CLOCKS_PER_SEC / 4;) continue;'
slow_constructors() {
  create_game odd 5
  compile odd '-DINCLUDE=<time.h>' "-DHELPERS=__attribute__((constructor, destructor)) static void spend(void) { $spend }"
  rm -f "$tmp"/*.crash.txt
  run_for 30 "$release" run "$game" --headless --ticks 5 --budget 5
  exits 1 err "cannot start: stopped after 50 ms (--budget)"
  if grep "crash:" "$tmp/err"; then fail "$(cat "$tmp/err")"; fi
}
it "the script watchdog does not interrupt constructors and destructors of a plugin's library" slow_constructors

endless_destructor() {
  create_game odd 5
  compile odd '-DINCLUDE=<unistd.h>' '-DHELPERS=__attribute__((destructor)) static void spin(void) { for (;;) continue; }'
  rm -f "$tmp"/*.crash.txt
  run_for 60 "$release" run "$game" --headless --ticks 5 --budget 1
  [ "$status" -gt 0 ] || fail "exit status $status"
  grep -q '^running: plugin odd, library destructors' shoal-*.crash.txt || fail "$(cat "$tmp/err" "$tmp"/*.crash.txt)"
}
it "a library destructor that never returns ends the program with a crash report" endless_destructor
