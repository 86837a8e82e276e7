// Queries of a host that name components which the program has not declared yet. The first argument is a game folder
// with the component stone { x, speed }.
#include <shoal/host.h>

#include <stdio.h>

#define STONE_FIELDS(F) F(f32, x, 0) F(f32, speed, 0)
SHOAL_COMPONENT(stone, STONE_FIELDS)
#define OTHER_STONE_FIELDS(F) F(f32, x, 0) F(string, speed, "")
static const shoal_field other_fields[] = {OTHER_STONE_FIELDS(SHOAL_FIELD)};
static const shoal_component other_stone = {"stone", SHOAL_KIND_COMPONENT, other_fields, 2, 2, NULL, {NULL}};

int main(int argc, char **argv) {
  shoal_host_options options = shoal_host_default_options();
  options.game = argc > 1 ? argv[1] : ".";
  options.headless = true;
  shoal_host *host = shoal_host_create(&options);
  if (!host || !shoal_host_step(host, 1))
    return fprintf(stderr, "%s\n", shoal_host_last_error()), 2;
  shoal_world *w = shoal_host_world(host);
  const shoal_query_desc stones = {.with = {"stone"}};
  shoal_view v;
  printf("undeclared %d %s\n", shoal_query_begin(w, &stones, &v), shoal_last_error(w));
  const shoal_query_desc transforms = {.with = {"transform"}};
  bool refused = !shoal_query_begin(w, &transforms, &v);
  bool found_later = shoal_find_component(w, "transform") && shoal_query_begin(w, &transforms, &v);
  printf("refused %d, found later %d\n", refused, found_later && shoal_query_end(w, &v));
  printf("mismatch %d %s\n", shoal_declare(w, &other_stone), shoal_last_error(w));
  const shoal_component *found = shoal_find_component(w, "stone");
  if (shoal_query_begin(w, &stones, &v)) {
    printf("found %d\n", v.terms[0].component == found && v.terms[0].columns[0] != NULL);
    printf("declare in query %d %s\n", shoal_declare(w, &stone_component), shoal_last_error(w));
    shoal_query_end(w, &v);
  }
  printf("declare %d\n", shoal_declare(w, &stone_component));
  if (shoal_query_begin(w, &stones, &v)) {
    printf("declared %d, again %d\n", SHOAL_COLUMN(&v, stone, speed) != NULL, shoal_declare(w, &stone_component));
    shoal_query_end(w, &v);
  }
  shoal_host_destroy(host);
  return 0;
}
