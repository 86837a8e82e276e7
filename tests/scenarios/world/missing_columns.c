// Lookups of columns that a view does not have, in programs that embed Shoal. Prints a line for each check of
// library.sh; with the argument "crash", it also writes to such a column.
#include <shoal/ecs.h>
#ifdef WITH_HOST
#include <shoal/host.h>
#endif

#include <stdio.h>
#include <string.h>

#define STONE_FIELDS(F) F(f32, x, 0) F(f32, speed, 0)
SHOAL_COMPONENT(stone, STONE_FIELDS)
SHOAL_COMPONENT(moss, STONE_FIELDS)
static const shoal_component second_stone = {"stone", SHOAL_KIND_COMPONENT, stone_fields, 2, 2, NULL, {NULL}};

static void check_view(shoal_world *w, const shoal_view *v) {
  for (int i = 0; i < 3; ++i)
    if (SHOAL_COLUMN(v, moss, x)) // line 18
      printf("found\n");
  printf("unnamed: %s\n", shoal_last_error(w));
  printf("tested %d\n", shoal_view_term(v, &moss_component) != NULL);
  if (shoal_view_columns(v, &second_stone))
    printf("second declaration: %s\n", shoal_last_error(w));
}

#ifndef WITH_HOST
static void check_part(shoal_world *w, const shoal_view *rows, void *data) {
  (void)w;
  if (rows->first > 0 && !SHOAL_COLUMN(rows, moss, speed)) // line 29
    snprintf(data, 300, "%s", shoal_ecs_last_error());
}

static void check_outer_view(shoal_world *w, const shoal_view *rows, void *outer) {
  (void)w;
  if (rows->first > 0 && SHOAL_CONST_COLUMN((const shoal_view *)outer, moss, speed)) // line 35
    printf("found\n");
}

static int check_ecs(bool crashes) {
  char text[300] = "";
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(stone, moss));
  shoal_view v, bare;
  if (!w || !shoal_ecs_define_assemblage(w, "stone", SHOAL_COMPONENTS(stone)) ||
      !shoal_spawn_many(w, "stone", 20000, NULL) || !shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}}, &v) ||
      !shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}, .without = {"moss"}}, &bare))
    return fprintf(stderr, "%s\n", shoal_ecs_last_error()), 2;
  check_view(w, &v);
  if (!SHOAL_COLUMN(&bare, moss, x)) // line 48
    printf("excluded: %s\n", shoal_ecs_last_error());
  if (!shoal_ecs_run_parallel(w, &v, check_part, text) || !shoal_ecs_run_parallel(w, &v, check_outer_view, &v))
    printf("%s\n", shoal_ecs_last_error());
  printf("in a part: %s\n", text);
  fflush(stdout);
  if (crashes)
    SHOAL_COLUMN(&v, moss, x)[0] = 1; // line 55
  return shoal_query_end(w, &bare) && shoal_query_end(w, &v) && shoal_ecs_destroy(w) ? 0 : 1;
}
#else
static void print_log(void *context, shoal_host_log_level level, const char *line) {
  (void)context;
  if (level == SHOAL_HOST_LOG_ERROR)
    printf("logged: %s\n", line);
}

static int check_host(const char *game) {
  shoal_host_options options = shoal_host_default_options();
  options.game = game;
  options.headless = true;
  options.no_stderr = true;
  options.on_log = print_log;
  shoal_host *host = shoal_host_create(&options);
  if (!host || !shoal_host_step(host, 1))
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  shoal_world *w = shoal_host_world(host);
  shoal_view v;
  if (!shoal_declare(w, &stone_component) || !shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}}, &v))
    return fprintf(stderr, "%s\n", shoal_last_error(w)), 2;
  check_view(w, &v);
  bool ended = shoal_query_end(w, &v);
  shoal_host_destroy(host);
  return ended ? 0 : 1;
}
#endif

int main(int argc, char **argv) {
#ifdef WITH_HOST
  return check_host(argc > 1 ? argv[1] : ".");
#else
  return check_ecs(argc > 1 && strcmp(argv[1], "crash") == 0);
#endif
}
