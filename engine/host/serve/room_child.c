// Arguments of child processes that load the release.
#include "serve/room_child.h"

#include <string.h>

#define MAX_ARGUMENTS 128u

bool room_child_begin(child_t *out, const room_child_desc_t *desc) {
  const char *arguments[MAX_ARGUMENTS];
  char options[CODE_OPTIONS_BYTES];
  uint32_t count = 0;
  const char *const fixed[] = {desc->program, "run",        desc->release->folder,
                               "--headless",  "--no-watch", "--room",
                               desc->room,    "--db",       desc->database,
                               "--owner",     "1",          desc->option,
                               desc->path,    "--fd",       "3"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
    arguments[count++] = fixed[i];
  if (desc->rows)
    arguments[count++] = "--rows";
  memcpy(options, desc->release->options, sizeof options);
  for (char *line = options, *end; *line && count + 1 < MAX_ARGUMENTS; line = end + 1) {
    end = strchr(line, '\n');
    arguments[count++] = line;
    if (!end)
      break;
    *end = '\0';
  }
  arguments[count] = NULL;
  return child_begin_program(out, desc->limit_ms, arguments);
}
