// Runs two worlds of one game in one tool. Both simulate the same two seconds, then an entity is added to the second
// world, and the tool prints how they diverge. Finally both worlds are rewound to a tick before the change and are
// identical again.
//
//   two_worlds [GAME [ASSEMBLAGE]]
//
// Built against the installed library: cc two_worlds.c $(pkg-config --cflags --libs shoal)
#include <shoal/builtin.h>
#include <shoal/host.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)

enum { TICKS_BEFORE_CHANGE = 120, TICKS_AFTER_CHANGE = 60 };

static void exit_with_error(const char *action) {
  fprintf(stderr, "two_worlds: %s: %s\n", action, shoal_host_last_error());
  exit(2);
}

static void log_line(void *context, shoal_host_log_level level, const char *line) {
  if (level == SHOAL_HOST_LOG_ERROR || level == SHOAL_HOST_LOG_WARN)
    fprintf(stderr, "%s: %s\n", (const char *)context, line);
}

static shoal_host *open_world(const char *game, const char *name) {
  shoal_host_options options = shoal_host_default_options();
  options.game = game;
  options.headless = true;
  options.has_seed = true;
  options.seed = 7;
  options.history_mb = 32;
  options.no_stderr = true;
  options.context = (void *)(size_t)name;
  options.on_log = log_line;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    exit_with_error(name);
  return host;
}

static shoal_host_state read_state(shoal_host *host) {
  shoal_host_state state = {.size = sizeof state};
  if (!shoal_host_get_state(host, &state))
    exit_with_error("look");
  return state;
}

// Returns the mean x position of all transforms, read from the column in place, or 0 if there are no transforms.
static double get_mean_x(shoal_host *host) {
  shoal_rows rows = shoal_get_rows(shoal_host_world(host), &transform_component);
  double sum = 0;
  for (uint32_t i = 0; i < rows.count; ++i)
    sum += (double)SHOAL_ROWS_COLUMNS(rows, transform)->x[i];
  return rows.count ? sum / rows.count : 0;
}

static void print_large_assemblages(shoal_host *host, const char *name, int64_t min_count) {
  shoal_host_value limit = shoal_host_integer_value(min_count);
  shoal_host_result *rows = shoal_host_query(
      host, "SELECT name, entities FROM assemblages WHERE entities >= ? ORDER BY entities DESC, name", &limit, 1);
  if (!rows)
    exit_with_error("sql");
  printf("%s:", name);
  for (uint32_t i = 0; i < shoal_host_result_row_count(rows); ++i)
    printf(" %lld %s", (long long)shoal_host_result_value(rows, i, 1).integer,
           shoal_host_result_value(rows, i, 0).string);
  printf("\n");
  shoal_host_result_free(rows);
}

static void print_comparison(const char *label, shoal_host *host_a, shoal_host *host_b) {
  shoal_host_state state_a = read_state(host_a), state_b = read_state(host_b);
  printf("%s, tick %llu: %s, %u and %u entities, %.1f apart\n", label, (unsigned long long)state_a.tick,
         shoal_hash(shoal_host_world(host_a)) == shoal_hash(shoal_host_world(host_b)) ? "the same" : "different",
         state_a.entities, state_b.entities, fabs(get_mean_x(host_a) - get_mean_x(host_b)));
}

int main(int argc, char **argv) {
  const char *game = argc > 1 ? argv[1] : "asteroids", *assemblage = argc > 2 ? argv[2] : "saucer";
  shoal_host *original = open_world(game, "original"), *changed = open_world(game, "what if");
  if (!shoal_host_step(original, TICKS_BEFORE_CHANGE) || !shoal_host_step(changed, TICKS_BEFORE_CHANGE))
    exit_with_error("step");
  print_comparison("before the spawn", original, changed);
  const shoal_field_value position = {.component = "transform", .field = "x", .number = 100};
  if (!shoal_spawn_with(shoal_host_world(changed), assemblage, &position, 1))
    exit_with_error("spawn");
  if (!shoal_host_step(original, TICKS_AFTER_CHANGE) || !shoal_host_step(changed, TICKS_AFTER_CHANGE))
    exit_with_error("step");
  print_comparison("after the spawn", original, changed);
  print_large_assemblages(original, "original", 3);
  print_large_assemblages(changed, "what if", 3);
  // One extra tick, because the state of tick FIRST already contains the new entity.
  uint32_t rewind_ticks = TICKS_AFTER_CHANGE + 1;
  if (!shoal_host_rewind(original, rewind_ticks) || !shoal_host_rewind(changed, rewind_ticks))
    exit_with_error("rewind");
  print_comparison("after the rewind", original, changed);
  shoal_host_destroy(original);
  shoal_host_destroy(changed);
  return 0;
}
