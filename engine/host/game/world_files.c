// Finds the folder of a served world's files.
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

bool world_files_find(const game_o *g, const char *database, char *out, size_t bytes, error_info_t *error) {
  char name[MAX_NAME], folder[MAX_NAME + 16];
  if (!world_store_is_address(database))
    return snprintf(out, bytes, "%s", database) < (int)bytes || error_set(error, "--db: the path is too long");
  copy_database_name(database, name);
  (void)snprintf(folder, sizeof folder, "postgres-%s", name);
  if (!save_slots_prepare_user_path(g, folder, "", out, bytes, error) || !file_create_folders(out, error))
    return false;
  size_t length = strlen(out);
  return snprintf(out + length, bytes - length, "/world") < (int)(bytes - length) ||
         error_set(error, "the path of the world's files is too long");
}
