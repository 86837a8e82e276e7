// Opens the save in a separate world, executes the statements sequentially as in a running game, and writes the save
// again if a statement has changed the world.
#include "saves/sql_command.h"

#include "base/assert.h"
#include "base/files.h"
#include "game/builtins.h"
#include "sql/sql.h"
#include "store/save.h"

#include <stdio.h>
#include <string.h>

static bool run_statements(save_file_o *f, const options_t *o, error_info_t *error) {
  const char *text = o->sql;
  for (size_t remaining = strlen(text); remaining > 0;) {
    sql_result_t result;
    sql_run_desc_t desc = {.text = text,
                           .text_bytes = remaining,
                           .allow_multiple = true,
                           .allow_writes = o->write,
                           .allow_measured = true};
    if (!save_file_sql(f, &desc, &result, error))
      return false;
    sql_print_result(&result, stdout);
    shoal_assert(result.next_statement > text, "the parser consumed no text: %.60s", text);
    text = result.next_statement + strspn(result.next_statement, " \t\r\n;");
    remaining = strlen(text);
    sql_result_fini(&result);
  }
  return true;
}

// Opens the save in a separate world, and runs the statements. `w` is new, and has only the built-in components.
static bool run_on_world(const options_t *o, world_o *w, error_info_t *error) {
  save_file_o *f = save_file_open(
      &(save_file_desc_t){.path = o->target, .world = w, .writable = o->write, .accepts_edits = o->accept_edits},
      error);
  if (!f)
    return false;
  if (!o->sql || run_statements(f, o, error))
    return save_file_close(f, error);
  save_file_discard(f);
  return false;
}

static bool run_on_file(const options_t *o, error_info_t *error) {
  static const input_state_t NO_INPUT;
  builtins_t builtins;
  if (o->ticks > 0)
    return error_set(error, "--ticks requires a game, got the file %s: omit --ticks", o->target);
  log_o *log = log_create(o->log_level);
  world_o *w = world_create(&(world_desc_t){.log = log});
  bool ok = builtins_create(&builtins, &(builtins_desc_t){.world = w, .input = &NO_INPUT, .input_before = &NO_INPUT},
                            error) &&
            run_on_world(o, w, error);
  builtins_destroy(&builtins);
  world_destroy(w);
  log_destroy(log);
  return ok;
}

bool sql_command_try_run(const options_t *o, int *exit_code) {
  error_info_t error = {0};
  bool is_file = file_exists(o->target), ok = true;
  if (o->command != OPTIONS_SQL || (!is_file && !o->write && !o->accept_edits))
    return false;
  if (is_file)
    ok = run_on_file(o, &error);
  else
    ok = error_set(&error, "%s requires a save, got %s: omit %s%s", o->write ? "--write" : "--accept-edits", o->target,
                   o->write ? "--write" : "--accept-edits",
                   o->write ? ", because a game's world is always writable" : "");
  if (!ok)
    fprintf(stderr, "shoal: sql: %s\n", error.text);
  *exit_code = ok ? 0 : 2;
  return true;
}
