// Commands shared by the overlay and the page: those in assets/cockpit/commands.json, one per assemblage, and those
// declared by the game. A command is a protocol request, or an action of the overlay or the page.
#include "cockpit/commands.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/panels.h"
#include "ecs/assemblage_inspect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Returns a copy of `value` with the first "$name" of each string replaced by `name`, including strings in nested
// objects.
static json_t *substitute_name(const json_t *value, const char *name) {
  char text[256];
  const char *from = json_string_value(value), *at = from ? strstr(from, "$name") : NULL;
  if (json_is_object(value)) {
    json_t *out = json_object();
    const char *key;
    json_t *x;
    json_object_foreach((json_t *)(uintptr_t)value, key, x) json_object_set_new(out, key, substitute_name(x, name));
    return out;
  }
  if (!at)
    return json_deep_copy(value);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - from), from, name, at + 5);
  return json_string(text);
}

static void add_spawn_commands(json_t *list, const json_t *command, world_o *w) {
  shoal_assert(json_is_array(list) && json_is_object(command),
               "`list` must be a JSON array and `command` a JSON object");
  for (uint32_t i = 1; w && i <= world_assemblage_count(w); ++i) {
    uint32_t name = world_assemblage_name(w, i);
    if (name == 0 || world_assemblage_is_retired(w, i))
      continue;
    json_t *command_with_name = substitute_name(command, strings_text(world_strings(w), name));
    json_object_del(command_with_name, "each");
    json_array_append_new(list, command_with_name);
  }
}

// Reads the command table. If the table is invalid, logs the error once and continues without commands.
static json_t *read_command_table(cockpit_o *c) {
  char path[PATH_MAX_BYTES + 40];
  json_error_t at;
  path_join(path, sizeof path, host_get_paths(c->host)->assets, "cockpit/commands.json");
  json_t *table = json_load_file(path, JSON_REJECT_DUPLICATES, &at);
  if (!json_is_array(table))
    log_error(host_log(c->host), "cockpit: cannot load commands: %s:%d: %s", path, at.line,
              table ? "the file must contain a JSON array of commands" : at.text);
  if (json_is_array(table))
    return table;
  json_decref(table);
  return json_array();
}

static void clear_commands(cockpit_o *c) {
  for (uint32_t i = 0; i < c->dev_overlay_commands.count; ++i)
    if (!c->dev_overlay_commands.items[i].is_overlay_action)
      free((char *)(uintptr_t)c->dev_overlay_commands.items[i].request);
  c->dev_overlay_commands.count = 0;
  json_decref(c->commands);
  c->commands = NULL;
}

void commands_free(cockpit_o *c) {
  clear_commands(c);
  array_free(&c->memory, &c->dev_overlay_commands);
  json_decref(c->command_table);
  c->command_table = NULL;
}

// Lists the overlay's commands: all commands except those that only the page supports.
static void list_overlay_commands(cockpit_o *c) {
  shoal_assert(c->dev_overlay_commands.count == 0, "%u commands of the previous game were not removed",
               c->dev_overlay_commands.count);
  size_t i;
  json_t *x;
  json_array_foreach(c->commands, i, x) {
    const json_t *ask = json_object_get(x, "ask");
    const char *action = text_member(x, "overlay");
    if (!json_is_object(ask) && !action[0])
      continue;
    dev_overlay_command_t command = {.name = text_member(x, "name"),
                                     .key = text_member(x, "key"),
                                     .window = text_member(x, "window"),
                                     .help = text_member(x, "help"),
                                     .request = action[0] ? action : json_dumps(ask, JSON_COMPACT),
                                     .is_overlay_action = action[0] != '\0'};
    array_push(&c->memory, &c->dev_overlay_commands, command);
  }
}

// Adds the commands that game files and plugins declare (scripts/shoal/kit/cockpit.lua).
static void add_declared_commands(cockpit_o *c) {
  size_t i;
  json_t *x;
  json_array_foreach(json_object_get(panels_list(c), "commands"), i, x) {
    json_t *ask = json_pack("{s:s,s:s}", "do", "command", "name", text_member(x, "name"));
    json_array_append_new(c->commands, json_pack("{s:s,s:s,s:o}", "name", text_member(x, "name"), "help",
                                                 text_member(x, "help"), "ask", ask));
  }
}

const json_t *commands_list(cockpit_o *c) {
  game_o *g = host_game(c->host);
  uint32_t assemblages = g ? world_assemblage_count(g->world) : 0;
  uint64_t of = g ? vm_number(g->vm) : 0;
  size_t i;
  json_t *x;
  if (c->commands && c->commands_of == of && c->commands_count == assemblages)
    return c->commands;
  if (!c->command_table)
    c->command_table = read_command_table(c);
  clear_commands(c);
  c->commands = json_array();
  c->commands_of = of;
  add_declared_commands(c);
  c->commands_count = assemblages;
  json_array_foreach(c->command_table, i, x) {
    if (strcmp(text_member(x, "each"), "assemblages") == 0)
      add_spawn_commands(c->commands, x, g ? g->world : NULL);
    else
      json_array_append(c->commands, x);
  }
  list_overlay_commands(c);
  shoal_assert(c->commands, "no commands are loaded");
  return c->commands;
}

// --- console lines

// Copies the line without leading and trailing white space. Returns false if nothing remains, or if the result does not
// fit.
static bool trim_line(const char *line, char *out, size_t bytes) {
  line += strspn(line, " \t\r\n");
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    --length;
  out[0] = '\0';
  return length > 0 && length < bytes && snprintf(out, bytes, "%.*s", (int)length, line) > 0;
}

const json_t *commands_find(cockpit_o *c, const char *line) {
  char name[256];
  const json_t *found = NULL;
  size_t i;
  json_t *x;
  if (!trim_line(line, name, sizeof name))
    return NULL;
  json_array_foreach((json_t *)(uintptr_t)commands_list(c), i, x) {
    if (strcmp(text_member(x, "name"), name) == 0)
      return x;
    if (!found && strcasecmp(text_member(x, "name"), name) == 0)
      found = x;
  }
  return found;
}

bool commands_is_help(const char *line) {
  char text[256];
  if (!trim_line(line, text, sizeof text) || strncasecmp(text, "help", 4) != 0)
    return false;
  for (const char *at = text + 4; *at; ++at) // excludes Lua such as help(1) and help = 2
    if (text[4] != ' ' || !(isalnum((unsigned char)*at) || *at == ' ' || *at == '_' || (unsigned char)*at >= 0x80))
      return false;
  return true;
}

void commands_write_help(cockpit_o *c, const char *line, json_writer_t *out) {
  char part[256], text[8192] = "";
  size_t i, used = 0;
  json_t *x;
  trim_line(line, part, sizeof part);
  shoal_assert(commands_is_help(line), "the line must begin with help, got %s", line);
  json_array_foreach((json_t *)(uintptr_t)commands_list(c), i, x) {
    const char *name = text_member(x, "name"), *help = text_member(x, "help");
    if (!json_object_get(x, "ask") || !strcasestr(name, part + 4 + strspn(part + 4, " ")))
      continue;
    if (used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", used ? "\n" : "", name, help[0] ? ": " : "",
                               help);
  }
  json_write_pair(out, "result", used ? text : "no matching command");
}

// Returns true if the text looks like a name: letters, digits, spaces, "_", "-" and "/".
static bool is_name_like(const char *text) {
  for (const char *at = text; *at; ++at)
    if (!isalnum((unsigned char)*at) && !strchr(" _-/", *at) && (unsigned char)*at < 0x80)
      return false;
  return isalpha((unsigned char)text[0]) || (unsigned char)text[0] >= 0x80;
}

bool commands_reject_unknown(cockpit_o *c, const char *line, bool is_lua, error_info_t *error) {
  char name[256], hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  size_t i;
  json_t *x;
  if (!trim_line(line, name, sizeof name) || !is_name_like(name))
    return false;
  nearest_name_init(&nearest, name);
  json_array_foreach((json_t *)(uintptr_t)commands_list(c), i, x) {
    if (!strchr(text_member(x, "name"), '$')) // the page replaces “$name”
      nearest_name_offer(&nearest, text_member(x, "name"));
  }
  if (is_lua && !nearest.best[0])
    return false;
  nearest_name_hint(&nearest, hint, sizeof hint);
  error_set(error, "unknown command “%.60s”%s", name, hint[0] ? hint : ": enter “help” for a list");
  return true;
}
