// Commands shared by the overlay and the page: commands in assets/cockpit/commands.json, one command per assemblage,
// and commands that the game declares. A command is a protocol request, or an action of the overlay or the page.
#include "cockpit/commands.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "base/text_search.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/panels.h"
#include "ecs/assemblage_inspect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Returns a copy of `template` with the first "$name" of each string replaced by `name`, including strings in nested
// objects.
static json_t *substitute_name(const json_t *template, const char *name) {
  char result[256];
  const char *template_text = json_string_value(template),
             *placeholder = template_text ? strstr(template_text, "$name") : NULL;
  if (json_is_object(template)) {
    json_t *out = json_object();
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t) template, key, member)
        json_object_set_new(out, key, substitute_name(member, name));
    return out;
  }
  if (!placeholder)
    return json_deep_copy(template);
  snprintf(result, sizeof result, "%.*s%s%s", (int)(placeholder - template_text), template_text, name, placeholder + 5);
  return json_string(result);
}

// Adds a command for each player number from 1 to `players`.
static void add_player_commands(json_t *list, const json_t *template, uint32_t players) {
  char number[16];
  for (uint32_t i = 1; i <= players; ++i) {
    (void)snprintf(number, sizeof number, "%u", i);
    json_t *command = substitute_name(template, number);
    json_object_del(command, "each");
    json_array_append_new(list, command);
  }
}

// Returns the maximum number of players in a match, or 0 without a match.
static uint32_t count_players(cockpit_o *cockpit) {
  const game_o *game = host_game(cockpit->host);
  const options_t *o = host_options(cockpit->host);
  return game && (o->host || o->join) ? game->config.max_players : 0;
}

static void add_spawn_commands(json_t *list, const json_t *template, world_o *w) {
  shoal_assert(json_is_array(list) && json_is_object(template),
               "`list` must be a JSON array and `command` a JSON object");
  for (uint32_t i = 1; w && i <= world_assemblage_count(w); ++i) {
    uint32_t name = world_assemblage_name(w, i);
    if (name == 0 || world_assemblage_is_retired(w, i))
      continue;
    json_t *spawn_command = substitute_name(template, strings_text(world_strings(w), name));
    json_object_del(spawn_command, "each");
    json_array_append_new(list, spawn_command);
  }
}

// Reads the command table. If the table is invalid, logs the error once and continues without commands.
static json_t *read_command_table(cockpit_o *cockpit) {
  char path[PATH_MAX_BYTES + 40];
  json_error_t json_error;
  path_join(path, sizeof path, host_get_paths(cockpit->host)->assets, "cockpit/commands.json");
  json_t *table = json_load_file(path, JSON_REJECT_DUPLICATES, &json_error);
  if (!json_is_array(table))
    log_error(host_log(cockpit->host), "cockpit: cannot load commands: %s:%d: %s", path, json_error.line,
              table ? "the file must contain a JSON array of commands" : json_error.text);
  if (json_is_array(table))
    return table;
  json_decref(table);
  return json_array();
}

static void clear_commands(cockpit_o *cockpit) {
  for (uint32_t i = 0; i < cockpit->dev_overlay_commands.count; ++i)
    if (!cockpit->dev_overlay_commands.items[i].is_overlay_action)
      free((char *)(uintptr_t)cockpit->dev_overlay_commands.items[i].request);
  cockpit->dev_overlay_commands.count = 0;
  json_decref(cockpit->commands);
  cockpit->commands = NULL;
}

void commands_free(cockpit_o *cockpit) {
  clear_commands(cockpit);
  array_free(&cockpit->memory, &cockpit->dev_overlay_commands);
  json_decref(cockpit->command_table);
  cockpit->command_table = NULL;
}

// Lists the overlay's commands: all commands except commands that only the page supports.
static void list_overlay_commands(cockpit_o *cockpit) {
  shoal_assert(cockpit->dev_overlay_commands.count == 0, "%u commands of the previous game were not removed",
               cockpit->dev_overlay_commands.count);
  size_t i;
  json_t *item;
  json_array_foreach(cockpit->commands, i, item) {
    const json_t *request = json_object_get(item, "ask");
    const char *action = get_text_member(item, "overlay");
    if (!json_is_object(request) && !action[0])
      continue;
    dev_overlay_command_t command = {.name = get_text_member(item, "name"),
                                     .key = get_text_member(item, "key"),
                                     .window = get_text_member(item, "window"),
                                     .help = get_text_member(item, "help"),
                                     .request = action[0] ? action : json_dumps(request, JSON_COMPACT),
                                     .is_overlay_action = action[0] != '\0'};
    array_push(&cockpit->memory, &cockpit->dev_overlay_commands, command);
  }
}

// Adds the commands that game files and plugins declare (scripts/shoal/kit/cockpit.lua).
static void add_declared_commands(cockpit_o *cockpit) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(panels_list(cockpit), "commands"), i, item) {
    json_t *request = json_pack("{s:s,s:s}", "do", "command", "name", get_text_member(item, "name"));
    json_array_append_new(cockpit->commands, json_pack("{s:s,s:s,s:o}", "name", get_text_member(item, "name"), "help",
                                                       get_text_member(item, "help"), "ask", request));
  }
}

const json_t *commands_list(cockpit_o *cockpit) {
  game_o *game = host_game(cockpit->host);
  uint32_t assemblages = game ? world_assemblage_count(game->world) : 0;
  uint64_t vm = game ? vm_number(game->vm) : 0;
  uint32_t players = count_players(cockpit);
  size_t i;
  json_t *item;
  if (cockpit->commands && cockpit->commands_vm_number == vm && cockpit->commands_assemblage_count == assemblages)
    return cockpit->commands;
  if (!cockpit->command_table)
    cockpit->command_table = read_command_table(cockpit);
  clear_commands(cockpit);
  cockpit->commands = json_array();
  cockpit->commands_vm_number = vm;
  add_declared_commands(cockpit);
  cockpit->commands_assemblage_count = assemblages;
  json_array_foreach(cockpit->command_table, i, item) {
    const char *each = get_text_member(item, "each");
    bool is_of_match = strcmp(each, "players") == 0 || strcmp(each, "match") == 0;
    if (is_of_match)
      add_player_commands(cockpit->commands, item, strcmp(each, "match") == 0 && players > 1 ? 1 : players);
    else if (strcmp(each, "assemblages") == 0)
      add_spawn_commands(cockpit->commands, item, game ? game->world : NULL);
    else
      json_array_append(cockpit->commands, item);
  }
  list_overlay_commands(cockpit);
  shoal_assert(cockpit->commands, "no commands are loaded");
  return cockpit->commands;
}

// --- console lines

// Copies the line without leading and trailing white space. Returns true on success, or false if the line contains only
// white space, or if the result does not fit.
static bool trim_line(const char *line, char *out, size_t bytes) {
  line += strspn(line, " \t\r\n");
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    --length;
  out[0] = '\0';
  return length > 0 && length < bytes && snprintf(out, bytes, "%.*s", (int)length, line) > 0;
}

const json_t *commands_find(cockpit_o *cockpit, const char *line) {
  char name[256];
  const json_t *found = NULL;
  size_t i;
  json_t *command;
  if (!trim_line(line, name, sizeof name))
    return NULL;
  json_array_foreach((json_t *)(uintptr_t)commands_list(cockpit), i, command) {
    if (strcmp(get_text_member(command, "name"), name) == 0)
      return command;
    if (!found && strcasecmp(get_text_member(command, "name"), name) == 0)
      found = command;
  }
  return found;
}

bool commands_is_help(const char *line) {
  char text[256];
  if (!trim_line(line, text, sizeof text) || strncasecmp(text, "help", 4) != 0)
    return false;
  for (const char *p = text + 4; *p; ++p) // excludes Lua such as help(1) and help = 2
    if (text[4] != ' ' || !(isalnum((unsigned char)*p) || *p == ' ' || *p == '_' || (unsigned char)*p >= 0x80))
      return false;
  return true;
}

void commands_write_help(cockpit_o *cockpit, const char *line, json_writer_t *out) {
  char trimmed[256], text[8192] = "";
  size_t i, length = 0;
  json_t *command;
  trim_line(line, trimmed, sizeof trimmed);
  shoal_assert(commands_is_help(line), "the line must begin with help, got %s", line);
  json_array_foreach((json_t *)(uintptr_t)commands_list(cockpit), i, command) {
    const char *name = get_text_member(command, "name"), *help = get_text_member(command, "help");
    if (!json_object_get(command, "ask") || !text_search_ignoring_case(name, trimmed + 4 + strspn(trimmed + 4, " ")))
      continue;
    if (length < sizeof text)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%s%s", length ? "\n" : "", name,
                                 help[0] ? ": " : "", help);
  }
  json_write_pair(out, "result", length ? text : "no matching command");
}

// Returns true if the text looks like a name: it begins with a letter, and contains only letters, digits, spaces, "_",
// "-" and "/". All non-ASCII characters count as letters.
static bool is_name_like(const char *text) {
  for (const char *p = text; *p; ++p)
    if (!isalnum((unsigned char)*p) && !strchr(" _-/", *p) && (unsigned char)*p < 0x80)
      return false;
  return isalpha((unsigned char)text[0]) || (unsigned char)text[0] >= 0x80;
}

bool commands_reject_unknown(cockpit_o *cockpit, const char *line, bool is_lua, error_info_t *error) {
  char name[256], hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  size_t i;
  json_t *command;
  if (!trim_line(line, name, sizeof name) || !is_name_like(name))
    return false;
  nearest_name_init(&nearest, name);
  json_array_foreach((json_t *)(uintptr_t)commands_list(cockpit), i, command) {
    if (!strchr(get_text_member(command, "name"), '$')) // "$name" marks a template, which only the page completes
      nearest_name_offer(&nearest, get_text_member(command, "name"));
  }
  if (is_lua && !nearest.best[0])
    return false;
  nearest_name_hint(&nearest, hint, sizeof hint);
  error_set(error, "unknown command “%.60s”%s", name, hint[0] ? hint : ": enter “help” for a list");
  return true;
}
