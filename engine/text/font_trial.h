// Opens a font and draws characters of it in a copy of the process, before anything in this one does: what it may cost
// is limited, and a crash in there is a message here.
#ifndef SHOAL_TEXT_FONT_TRIAL_H
#define SHOAL_TEXT_FONT_TRIAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// False with words that follow "not a font: ".
bool font_trial_run(const char *file, size_t bytes, error_t *why);

#endif
