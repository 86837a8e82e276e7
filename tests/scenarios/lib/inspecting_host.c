// Runs two hosts with the same game, one of which the program inspects in every way, and compares their hashes in each
// tick. Prints the first difference, or the number of equal ticks.
#include <shoal/host.h>
#include <stdio.h>

#define TICKS 220u

static shoal_host *create_host(const char *game) {
  shoal_host_options options = shoal_host_default_options();
  options.game = game;
  options.headless = options.no_stderr = true;
  options.has_seed = true;
  options.seed = 7;
  shoal_host *host = shoal_host_create(&options);
  if (!host)
    fprintf(stderr, "%s\n", shoal_host_last_error());
  return host;
}

static bool check(bool ok, const char *what, const char *error) {
  if (!ok)
    printf("%s: %s\n", what, error);
  return ok;
}

// Opens queries, one of which a system also opens in a later tick, and reads or writes back their columns.
static bool inspect_queries(shoal_world *w) {
  static const shoal_query_desc wanted[] = {
      {.with = {"transform", "glow"}, .optional = {"arm"}, .reads = {"transform", "glow", "arm"}},
      {.with = {"transform"}},
      {.with = {"body", "name"}, .without = {"tag"}, .reads = {"body", "name"}},
      {.any = {"bag", "glow"}, .reads = {"bag", "glow"}},
      {.with = {"arm"}, .reads = {"arm"}}};
  static const char *const names[] = {"transform", "glow", "arm", "body", "name", "bag"};
  bool ok = true;
  for (size_t i = 0; i < sizeof names / sizeof *names && ok; ++i)
    ok = check(shoal_find_component(w, names[i]) != NULL, names[i], shoal_last_error(w));
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && ok; ++i) {
    shoal_view v;
    ok = check(shoal_query_begin(w, &wanted[i], &v), "query", shoal_last_error(w)) &&
         check(shoal_query_end(w, &v), "end", shoal_last_error(w));
  }
  return ok;
}

static bool inspect(shoal_host *h, unsigned tick) {
  static const char *const chunks[] = {
      "for e in world.each('transform', 'glow') do local level = e.glow.level end",
      "return world.query { 'transform', 'glow', optional = { 'arm' } }.count",
      "return world.find 'nobody', world.count 'arm', world.explain { 'transform', 'glow' }, #world.export()",
      "world.ghosts('mote', 20)",
      "world.watch 'SELECT entity FROM glow WHERE level > 1000'",
      "world.ghosts()",
  };
  char out[256];
  shoal_host_result *rows =
      shoal_host_query(h, "SELECT * FROM entities JOIN glow USING (entity) WHERE name = 'no such name'", NULL, 0);
  shoal_host_result_free(rows);
  return inspect_queries(shoal_host_world(h)) && check(rows != NULL, "sql", shoal_host_last_error()) &&
         check(shoal_host_exec_lua(h, chunks[tick % (sizeof chunks / sizeof *chunks)], out, sizeof out), "exec",
               shoal_host_last_error()) &&
         shoal_find_interned(shoal_host_world(h), "a text that the world does not have") == 0;
}

int main(int argc, char **argv) {
  shoal_host *inspected = create_host(argc > 1 ? argv[1] : ""), *plain = create_host(argc > 1 ? argv[1] : "");
  unsigned tick = 0;
  if (!inspected || !plain)
    return 2;
  for (; tick < TICKS && inspect(inspected, tick); ++tick) {
    shoal_host_step(inspected, 1);
    shoal_host_step(plain, 1);
    if (shoal_hash(shoal_host_world(inspected)) != shoal_hash(shoal_host_world(plain))) {
      printf("the hashes of tick %u differ\n", tick + 1);
      break;
    }
  }
  printf("%u equal ticks\n", tick);
  shoal_host_destroy(inspected);
  shoal_host_destroy(plain);
  return 0;
}
