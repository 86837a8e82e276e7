// Finds the paths of a served world's files.
#include "game/world_files.h"

#include "base/files.h"
#include "game/save_slots.h"
#include "served/world_store.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME 64u

// Writes the name of the database in an address, with '_' in place of characters that a file name should not have.
static void copy_database_name(const char *address, char out[MAX_NAME]) {
  const char *host = strstr(address, "://") + 3, *slash = host + strcspn(host, "/?");
  size_t length = *slash == '/' ? strcspn(slash + 1, "?") : 0;
  (void)snprintf(out, MAX_NAME, "%.*s", (int)length, slash + 1);
  for (char *at = out; *at; ++at)
    if (!isalnum((unsigned char)*at) && *at != '-')
      *at = '_';
}

bool world_files_locate(const char *game, const char *database, char *out, size_t bytes, error_info_t *error) {
  char name[MAX_NAME], path[MAX_NAME + 32];
  if (!world_store_is_address(database))
    return snprintf(out, bytes, "%s", database) < (int)bytes || error_set(error, "--db: the path is too long");
  copy_database_name(database, name);
  (void)snprintf(path, sizeof path, "postgres-%s/world", name);
  return save_slots_find_user_path(game, path, "", out, bytes, error);
}

bool world_files_find(const game_o *g, const char *database, char *out, size_t bytes, error_info_t *error) {
  if (!world_files_locate(save_slots_id(g), database, out, bytes, error))
    return false;
  char *slash = strrchr(out, '/');
  if (!world_store_is_address(database) || !slash)
    return true;
  *slash = '\0';
  bool exists = file_create_folders(out, error);
  *slash = '/';
  return exists;
}
