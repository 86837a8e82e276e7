// Tasks of the program (process/task.h), also for the unit tests.
#ifndef SHOAL_HOST_PROGRAM_TASKS_H
#define SHOAL_HOST_PROGRAM_TASKS_H

#include "process/task.h"

// All tasks that the engine starts. The table ends with NULL.
extern const task_type_t *const PROGRAM_TASKS[];

#endif
