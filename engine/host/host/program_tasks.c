// Lists the tasks of the engine.
#include "host/program_tasks.h"

#include "decode/image.h"
#include "platform/sound_bank.h"
#include "reload/trial_task.h"
#include "text/font_check.h"

const task_type_t *const PROGRAM_TASKS[] = {&IMAGE_DECODER.task, &SOUND_DECODER.task, &FONT_DECODER.task, &TRIAL_TASK,
                                            NULL};
