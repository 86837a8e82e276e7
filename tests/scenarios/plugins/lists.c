// A plugin whose functions have list parameters and results of every kind and read every element of their arguments.
#include <shoal/plugin.h>

#include <string.h>

#define SLOT_FIELDS(F)                                                                                                 \
  F(f32, amount, 1) F(string, label, "empty") F(mat4, place) F(entity, owner) F(enum, kind, "a b c")
SHOAL_MANY(slot, SLOT_FIELDS)
#define BOX_FIELDS(F) F(f64, size, 1) F(vec3, at, 1, 2, 3) F(bool, open, 1) F(i8, count, 3)
SHOAL_COMPONENT(box, BOX_FIELDS)

static void sum(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c;
  for (uint32_t i = 0; i < arguments[0].count; ++i)
    results[0].number += arguments[0].numbers[i];
  results[1].number = arguments[0].count;
}

// Returns the entities of a list that are alive, and the sizes of their boxes (-1 without a box).
static void filter_alive(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  shoal_world *w = shoal_get_world(c);
  uint32_t count = arguments[0].count, n = 0;
  uint32_t *rows = shoal_realloc(c, NULL, 0, (count + 1) * sizeof *rows);
  shoal_entity *out = shoal_return_entities(c, &results[0], count);
  double *sizes = shoal_return_numbers(c, &results[1], count);
  shoal_find_rows(w, &box_component, arguments[0].entities, count, rows);
  for (uint32_t i = 0; i < count; ++i) {
    if (!shoal_is_alive(w, arguments[0].entities[i]))
      continue;
    sizes[n] = rows[i] == SHOAL_NO_ROW ? -1 : SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &box_component), box)->size[rows[i]];
    out[n++] = arguments[0].entities[i];
  }
  results[0].count = results[1].count = n; // may be less than the capacity
  shoal_realloc(c, rows, (count + 1) * sizeof *rows, 0);
}

static void pairs(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  uint32_t count = arguments[0].count < arguments[1].count ? arguments[0].count : arguments[1].count;
  double *out = shoal_return_numbers(c, &results[0], count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = arguments[0].numbers[i] * (double)arguments[1].entities[i];
}

static void echo(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  const shoal_value *v = &arguments[0];
  results[0].type = v->type;
  results[0].number = v->number;
  results[0].entity = v->entity;
  if (v->type == SHOAL_VALUE_TYPE_STRING)
    shoal_return_string(c, &results[0], v->string);
  if (v->type == SHOAL_VALUE_TYPE_NUMBERS && v->count > 0)
    memcpy(shoal_return_numbers(c, &results[0], v->count), v->numbers, v->count * sizeof *v->numbers);
}

static void give(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  uint32_t count = arguments[0].number >= 0 && arguments[0].number < 1e6 ? (uint32_t)arguments[0].number : 0;
  double *out = shoal_return_numbers(c, &results[0], count);
  for (uint32_t i = 0; i < count; ++i)
    out[i] = i;
  shoal_entity *who = shoal_return_entities(c, &results[1], count);
  for (uint32_t i = 0; i < count; ++i)
    who[i] = i * 2654435761u;
}

// Writes the numbers of a list to the components of an entity; a number's index selects the instance name.
static void fill(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  shoal_world *w = shoal_get_world(c);
  static const char *const names[] = {"left", "right", "", "none", NULL};
  shoal_entity e = arguments[0].entity;
  for (uint32_t i = 0; i < arguments[1].count; ++i) {
    const char *name = names[i % 5];
    double v = arguments[1].numbers[i];
    if (i % 3 == 0)
      shoal_add_instance(w, e, &slot_component, name);
    for (uint32_t column = 0; column < 8; ++column) {
      results[0].number += shoal_set_instance(w, e, &slot_component, name, column, v);
      results[0].number += shoal_set(w, e, &box_component, column, v);
      shoal_set(w, e, &slot_component, column, v);
      shoal_set_instance(w, e, &box_component, name, column, v);
    }
    if (i % 7 == 6)
      shoal_remove_instance(w, e, &slot_component, name);
  }
}

// Returns results in memory that the host did not allocate, or larger than allocated.
static void return_invalid_results(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  static const double own[4] = {1, 2, 3, 4};
  int kind = (int)arguments[0].number;
  shoal_return_numbers(c, &results[0], 3);
  if (kind == 1)
    results[0].numbers = own;
  if (kind == 2)
    results[0].count = 3000;
  if (kind == 3)
    results[1].count = 100;
  if (kind == 4)
    results[2].string = "of its own", results[2].count = 10;
}

// Reads and writes every row of columns of each type.
static void touch_columns(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)dt_s;
  const slot_columns *s = SHOAL_COLUMNS(v, slot);
  for (uint32_t i = 0; i < v->count; ++i) {
    s->amount[i] += s->place[i][15] + (float)s->kind[i];
    s->kind[i] = (uint8_t)((s->kind[i] + 1) % 3);
    s->owner[i] = v->entities[i];
    memset(s->place[i], 0, sizeof s->place[i]);
    if (shoal_string(w, s->label[i])[0] == '\0')
      s->label[i] = shoal_intern(w, "named");
  }
}

SHOAL_PLUGIN(
        .name = "lists", .version = 1, .components = SHOAL_COMPONENTS(slot, box),
        .systems = SHOAL_SYSTEMS({.name = "walk", .query = {"slot"}, .optional = {"box"}, .run = touch_columns}),
        .functions = SHOAL_FUNCTIONS(
            {.name = "sum",
             .parameters = "values:number[]",
             .results = "sum:number count:number",
             .call = sum,
             .pure = true},
            {.name = "living",
             .parameters = "who:entity[]",
             .results = "who:entity[] sizes:number[]",
             .call = filter_alive},
            {.name = "pairs",
             .parameters = "values:number[] who:entity[]",
             .results = "products:number[]",
             .call = pairs},
            {.name = "echo", .parameters = "value:any", .results = "value:any", .call = echo},
            {.name = "give", .parameters = "count:number", .results = "values:number[] who:entity[]", .call = give},
            {.name = "fill", .parameters = "e:entity values:number[]", .results = "set:number", .call = fill},
            {.name = "wild",
             .parameters = "kind:number",
             .results = "values:number[] more:number[] word:string",
             .call = return_invalid_results}))
