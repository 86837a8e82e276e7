// Objects that wake a thread that waits in wait_for_any. An object is either set or not set; setting it again has no
// effect.
#ifndef SHOAL_PROCESS_WAKE_UP_H
#define SHOAL_PROCESS_WAKE_UP_H

#include "process/wait.h"

// Creates an object that is not set. Returns its handle, or WAIT_NONE with errno if the system is out of resources.
wait_handle_t wake_up_create(void);
void wake_up_destroy(wait_handle_t handle); // accepts WAIT_NONE; no thread may still wait for the object

// Sets the object, which ends all waits for it (WAIT_READ) until wake_up_clear is called. Never blocks. Any thread.
void wake_up_set(wait_handle_t handle);
void wake_up_clear(wait_handle_t handle);

#endif
