// Id of this process.
#ifndef SHOAL_BASE_PROCESS_ID_H
#define SHOAL_BASE_PROCESS_ID_H

long process_id(void); // returns an id that no other running process in this pid namespace has

#endif
