// Writes to columns of a component in `.reads`, with libshoal-ecs, and columns that are used after their query.
#include <shoal/ecs.h>

#include <stdio.h>

#define STONE_FIELDS(F) F(f32, x, 1) F(f32, y, 2)
SHOAL_COMPONENT(stone, STONE_FIELDS)
#define MARK_FIELDS(F) F(u32, count, 0)
SHOAL_COMPONENT(mark, MARK_FIELDS)

static const shoal_query_desc reading = {.with = {"stone", "mark"}, .reads = {"stone"}};

int main(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(stone, mark));
  shoal_entity e = shoal_spawn(w, "");
  if (!shoal_add(w, e, &stone_component) || !shoal_add(w, e, &mark_component))
    return 1;
  shoal_view v, inner;
  float *kept = NULL;
  if (shoal_query_begin(w, &reading, &v)) {
    kept = SHOAL_COLUMN(&v, stone, y);
    SHOAL_COLUMN(&v, mark, count)[0] += 1;
    printf("unchanged %d %s\n", shoal_query_end(w, &v), shoal_last_error(w));
  }
  printf("after the query %g\n", (double)kept[0]);
  if (shoal_query_begin(w, &reading, &v)) {
    SHOAL_COLUMN(&v, stone, y)[0] = 7;
    printf("written %d %s\n", shoal_query_end(w, &v), shoal_last_error(w));
  }
  if (shoal_query_begin(w, &reading, &v)) {
    bool set = shoal_set(w, e, &stone_component, SHOAL_COLUMN_INDEX(stone, x), 3);
    if (shoal_query_begin(w, &(shoal_query_desc){.with = {"stone"}}, &inner)) {
      SHOAL_COLUMN(&inner, stone, y)[0] = 8;
      shoal_query_end(w, &inner);
    }
    printf("by others %d %d %s\n", set, shoal_query_end(w, &v), shoal_last_error(w));
  }
  double value;
  printf("no column %d %s\n", shoal_get(w, e, &stone_component, shoal_find_column(&stone_component, "z"), &value),
         shoal_last_error(w));
  shoal_ecs_destroy(w);
  return 0;
}
