// Lists the decoders, the only tasks of the engine so far.
#include "start/program_tasks.h"

#include "decode/image.h"
#include "platform/sound_bank.h"
#include "text/font_check.h"

const task_type_t *const PROGRAM_TASKS[] = {&IMAGE_DECODER.task, &SOUND_DECODER.task, &FONT_DECODER.task, NULL};
