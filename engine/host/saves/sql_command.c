// Opens the save, executes the statements one by one, and writes the save back if a statement has changed it.
#include "saves/sql_command.h"

#include "base/assert.h"
#include "base/files.h"
#include "sql/sql.h"
#include "store/save.h"

#include <stdio.h>
#include <string.h>

static bool run_statements(save_file_o *f, const options_t *o, error_info_t *error) {
  const char *text = o->sql;
  for (size_t remaining = strlen(text); remaining > 0;) {
    sql_result_t result;
    sql_run_desc_t desc = {.text = text, .text_bytes = remaining, .allow_multiple = true, .allow_writes = o->write};
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

static bool run_on_file(const options_t *o, error_info_t *error) {
  if (o->ticks > 0)
    return error_set(error, "--ticks requires a game, got the file %s: omit --ticks", o->target);
  save_file_o *f = save_file_open(o->target, o->write, error);
  if (!f)
    return false;
  if (run_statements(f, o, error))
    return save_file_close(f, error);
  save_file_discard(f);
  return false;
}

bool sql_command_try_run(const options_t *o, int *exit_code) {
  error_info_t error = {0};
  bool is_file = file_exists(o->target) && !file_is_folder(o->target), ok = true;
  if (o->command != OPTIONS_SQL || (!is_file && !o->write))
    return false;
  if (is_file)
    ok = run_on_file(o, &error);
  else
    ok = error_set(&error, "--write requires a save, got %s: omit --write, because a game's world is always writable",
                   o->target);
  if (!ok)
    fprintf(stderr, "shoal: sql: %s\n", error.text);
  *exit_code = ok ? 0 : 2;
  return true;
}
