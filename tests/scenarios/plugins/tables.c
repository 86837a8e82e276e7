// Plugin functions with table parameters and results, and a function that builds invalid tables.
#include <shoal/call.h>
#include <shoal/table.h>

static void copy_table(shoal_context *c, shoal_value *to, const char *key, const shoal_value *table) {
  shoal_table_begin(c, to, key);
  for (const shoal_table_entry *m = shoal_table_first(table); m; m = shoal_table_next(table, m)) {
    const char *name = m->key.type == SHOAL_VALUE_TYPE_STRING ? m->key.string : NULL;
    if (m->value.type == SHOAL_VALUE_TYPE_TABLE)
      copy_table(c, to, name, &m->value);
    else
      shoal_table_put(c, to, name, &m->value);
  }
  shoal_table_end(c, to);
}

static void echo(shoal_context *c, const shoal_value *in, shoal_value *out) {
  copy_table(c, &out[0], NULL, &in[0]);
}

static void read_members(shoal_context *c, const shoal_value *in, shoal_value *out) {
  out[0].number = shoal_table_get_number(&in[0], "walk.speed", -1);
  shoal_return_string(c, &out[1], shoal_table_get_string(&in[0], "stops.2.name", "nowhere"));
  out[2].entity = shoal_table_get_entity(&in[0], "who");
  out[3].number = shoal_table_get_bool(&in[0], "fast", false);
}

static void zeros(shoal_context *c, const shoal_value *in, shoal_value *out) {
  shoal_return_bytes(c, &out[0], in[0].string, in[0].count);
}

// Calls `echo` as if it belonged to another plugin, with an invalid argument.
static void call_echo(shoal_context *c, const shoal_value *in, shoal_value *out) {
  shoal_value mine[1], results[SHOAL_MAX_VALUES];
  (void)in;
  memset(mine, 0, sizeof mine);
  shoal_function_handle callee = shoal_find_function(c, "tables.echo", 1, "t:table", "t:table");
  if (shoal_call(c, callee, mine, results)) // `mine` is not a table
    return;
  (void)out;
}

static void passes(shoal_context *c, const shoal_value *in, shoal_value *out) {
  shoal_value mine[1], results[SHOAL_MAX_VALUES];
  memset(mine, 0, sizeof mine);
  shoal_function_handle callee = shoal_find_function(c, "tables.echo", 1, "t:table", "t:table");
  shoal_table_begin(c, &mine[0], NULL);
  shoal_table_put_number(c, &mine[0], "n", in[0].number);
  shoal_table_end(c, &mine[0]);
  if (shoal_call(c, callee, mine, results))
    out[0].number = shoal_table_get_number(&results[0], "n", -1);
}

static void return_invalid_table(shoal_context *c, const shoal_value *in, shoal_value *out) {
  const shoal_value none = {0};
  switch ((int)in[0].number) {
  case 1: shoal_table_put_number(c, &out[0], "n", 1); break;
  case 2: shoal_table_end(c, &out[0]); break;
  case 3: shoal_table_begin(c, &out[0], "key"); break;
  case 4:
    for (int i = 0; i < 17; ++i)
      shoal_table_begin(c, &out[0], i ? "in" : NULL);
    break;
  case 5:
    shoal_table_begin(c, &out[0], NULL);
    for (int i = 0; i < 65537; ++i)
      shoal_table_put_number(c, &out[0], NULL, i);
    break;
  case 6:
    shoal_table_begin(c, &out[0], NULL);
    shoal_table_put(c, &out[0], "n", &none);
    break;
  case 7: out[0].type = SHOAL_VALUE_TYPE_TABLE, out[0].count = 3, out[0].string = "out of nowhere"; break;
  default: break; // returns no table
  }
}

SHOAL_PLUGIN(.name = "tables", .version = 1,
             .functions = SHOAL_FUNCTIONS(
                 {.name = "echo", .parameters = "t:table", .results = "t:table", .call = echo, .pure = true},
                 {.name = "look",
                  .parameters = "t:table",
                  .results = "n:number t:string e:entity b:bool",
                  .call = read_members},
                 {.name = "zeros", .parameters = "t:string", .results = "t:string", .call = zeros},
                 {.name = "through", .call = call_echo},
                 {.name = "passes", .parameters = "n:number", .results = "n:number", .call = passes},
                 {.name = "wrong", .parameters = "n:number", .results = "t:table", .call = return_invalid_table}))
